package rules

import (
	"regexp"
	"sync"
	"unicode"

	"skills/internal/printable"
)

const byteOrderMark = "\xEF\xBB\xBF"

func quote(s string) string { return printable.Quote(s) }

func show(s string) string { return printable.Quoted(s) }

func describeRune(r rune) string { return printable.Rune(r) }

func isInvisible(r rune) bool { return printable.Invisible(r) }

// shorten keeps a suggestion on a screen line or two.
func shorten(s string) string { return printable.TruncateMiddle(s, 160) }

// isOddSpace reports white space that YAML does not take for any, and
// characters that cannot be seen.
func isOddSpace(r rune) bool {
	return r != ' ' && r != '\t' && (unicode.IsSpace(r) || isInvisible(r))
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// stretch returns how many bytes from i on are of a kind.
func stretch(s string, i int, is func(byte) bool) int {
	n := i
	for n < len(s) && is(s[n]) {
		n++
	}
	return n - i
}

// quotePath is quote for paths: a backslash stays one.
func quotePath(s string) string { return `"` + show(s) + `"` }

// isWordByte reports whether c matches \w.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || isASCIILetter(c)
}

// newPattern returns a regular expression that is compiled when it is first
// used: most commands use none of them, and compiling them all takes longer
// than looking at hundreds of skills.
func newPattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
