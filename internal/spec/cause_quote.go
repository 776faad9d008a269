package spec

import (
	"strconv"
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
	if n, other := len(e.value)-1, '"'+'\''-rune(e.value[0]); strings.IndexRune(e.value, other) == n && !strings.ContainsAny(e.value, " \t") {
		c := e.wrong(n, n+1, peelBoth, "%s is opened by %c and closed by %c", e.what(), e.value[0], other)
		c.help = "use the same quote at both ends: " + e.written(quoteYAML(e.value[1:n]))
		return c, true
	}
	c := e.wrong(0, 1, peelOpen, "the quote that opens %s is never closed", e.what())
	c.help = "close the quote: " + e.written(quoteYAML(peelOpen.of(e.value)))
	return c, true
}

// badEscape finds a backslash that no YAML escape starts with: a Windows path,
// a pattern.
func badEscape(e entry) (cause, bool) {
	if e.value == "" || e.value[0] != '"' {
		return cause{}, false
	}
	end := closingQuote(e.value)
	for i := 1; i+1 < len(e.value) && end == len(e.value); i++ {
		if e.value[i] != '\\' {
			continue
		}
		n, ok := readEscape(e.value[i:])
		if ok {
			i += n - 1
			continue
		}
		at := utf8.RuneCountInString(e.value[:i])
		c := e.wrong(at, at+utf8.RuneCountInString(e.value[i:i+n]), peelBoth, `"%s" is no escape in a double-quoted value`, show(e.value[i:i+n]))
		c.help = "use single quotes: " + e.written(quoteYAML(peelBoth.of(e.value)))
		c.fix = escapeFix(e.value[1 : end-1])
		if n > len(`\u`) {
			c.message, c.help, c.fix = `"`+e.value[i:i+n]+`" stands for no character by itself`, "write the character, not its number", ""
		}
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
		n, ok := readEscape(inner[i:])
		if (ok || n > len(`\u`)) && !strings.HasPrefix(inner[i+1:], `"`) {
			return ""
		}
		i += n - 1
	}
	return "use single quotes"
}

// readEscape returns the length of the escape that a text starts with, or of what
// stands in its place; ok is whether YAML has such a one. The number of a
// character that there is not is not ok, but has its full length.
func readEscape(text string) (n int, ok bool) {
	if len(text) < 2 {
		return len(text), false
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 {
		return 1 + size, strings.IndexByte("0abt\tnvfre \"/\\N_LP", text[1]) >= 0
	}
	if len(text) < 2+digits {
		return 2, false
	}
	code, err := strconv.ParseUint(text[2:2+digits], 16, 32)
	if err != nil {
		return 2, false
	}
	return 2 + digits, utf8.ValidRune(rune(min(code, 1<<30)))
}
