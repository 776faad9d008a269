package frontmatter

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
	if n, other := len(e.value)-1, '"'+'\''-rune(e.value[0]); strings.IndexRune(e.value, other) == n && !strings.ContainsAny(e.value, " \t") {
		c := e.wrong(n, n+1, peelBoth, "%s is opened by %c and closed by %c", e.what(), e.value[0], other)
		c.help = "use the same quote at both ends: " + e.written(Quote(e.value[1:n]))
		return c, true
	}
	c := e.wrong(0, 1, peelOpen, "the quote that opens %s is never closed", e.what())
	c.help = "close the quote: " + e.written(Quote(peelOpen.of(e.value)))
	return c, true
}
