package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// textAfterQuote finds a value that starts with a quoted word and goes on, or
// one in quotes with quotes in it.
func textAfterQuote(e entry) (cause, bool) {
	if e.value == "" || e.value[0] != '"' && e.value[0] != '\'' {
		return cause{}, false
	}
	end := closingQuote(e.value)
	if end < 0 {
		return cause{}, false
	}
	rest := strings.TrimLeft(e.value[end:], " \t")
	if rest == "" || rest[0] == '#' && len(rest) < len(e.value[end:]) {
		return cause{}, false
	}
	p := peelNone
	if quotedWithin(e.value, end) {
		p = peelBoth
	}
	return e.wrong(utf8.RuneCountInString(e.value[:end])-1, 0, p, "text follows the closing quote in %s", e.what()), true
}

// quotedWithin reports whether the quotes at both ends of a value belong
// together although the one that ends at end closes the first: that one is an
// apostrophe, or opens a quotation.
func quotedWithin(value string, end int) bool {
	if value[len(value)-1] != value[0] || end >= len(value) || end < 2 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(value[:end-1])
	after, _ := utf8.DecodeRuneInString(value[end:])
	word := unicode.IsLetter(after) || unicode.IsDigit(after)
	return word && (unicode.IsLetter(before) || unicode.IsDigit(before) || unicode.IsSpace(before) || strings.ContainsRune("([{/=", before)) ||
		unicode.IsSpace(before) && !unicode.IsSpace(after)
}

// closingQuote returns the index after the quote that closes value, or -1.
func closingQuote(value string) int {
	q := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case q == '"' && value[i] == '\\':
			i++
		case value[i] != q:
		case q == '\'' && i+1 < len(value) && value[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

func unclosedQuote(e entry) (cause, bool) {
	if e.value == "" || e.value[0] != '"' && e.value[0] != '\'' || closingQuote(e.value) >= 0 {
		return cause{}, false
	}
	c := e.wrong(0, 1, peelOpen, "the quote that opens %s is never closed", e.what())
	c.help = "close the quote: " + e.written(quoteYAML(peelOpen.of(e.value)))
	return c, true
}

// badEscape finds a backslash that no YAML escape starts with.
func badEscape(e entry) (cause, bool) {
	if e.value == "" || e.value[0] != '"' {
		return cause{}, false
	}
	end := closingQuote(e.value)
	for i := 1; i+1 < len(e.value) && end == len(e.value); i++ {
		if e.value[i] != '\\' {
			continue
		}
		i++
		if isEscape(e.value[i]) {
			continue
		}
		at := utf8.RuneCountInString(e.value[:i-1])
		c := e.wrong(at, at+2, peelBoth, "%s is no escape in a double-quoted value", quote(e.value[i-1:i+1]))
		c.help = "use single quotes: " + e.written(quoteYAML(peelBoth.of(e.value)))
		c.fix = escapeFix(e.value[1 : end-1])
		return c, true
	}
	return cause{}, false
}

// escapeFix names the fix that turns a double-quoted value into a
// single-quoted one, "" where it holds escapes that mean something.
func escapeFix(inner string) string {
	for i := 0; i < len(inner); i++ {
		if inner[i] != '\\' {
			continue
		}
		i++
		if i < len(inner) && inner[i] != '"' && isEscape(inner[i]) {
			return ""
		}
	}
	return "use single quotes"
}

// isEscape reports whether a backslash before a character starts one of
// YAML's escapes.
func isEscape(c byte) bool { return strings.IndexByte("0abt\tnvfre \"/\\N_LPxuU", c) >= 0 }
