package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"skills/internal/printable"
)

// quote puts text into a message: shortened, with control and invisible
// characters escaped.
func quote(s string) string {
	return strings.ReplaceAll(strconv.Quote(printable.Truncate(s, 60)), `\"`, `"`)
}

// describeRune names a character so that it can be found: its code point, and
// itself where it can be seen.
func describeRune(r rune) string {
	if name, ok := runeNames[r]; ok {
		return fmt.Sprintf("U+%04X (%s)", r, name)
	}
	if !unicode.IsPrint(r) || unicode.IsMark(r) {
		return fmt.Sprintf("U+%04X", r)
	}
	if r < 0x80 {
		return fmt.Sprintf("%q", string(r))
	}
	return fmt.Sprintf("%q (U+%04X)", string(r), r)
}

// runeNames are the characters that people paste without seeing them.
var runeNames = map[rune]string{
	' ': "space", '\t': "tab", 0xA0: "non-breaking space", 0xAD: "soft hyphen",
	0x200B: "zero-width space", 0x200C: "zero-width non-joiner", 0x200D: "zero-width joiner",
	0x2010: "hyphen, not -", 0x2011: "non-breaking hyphen, not -", 0x2012: "figure dash, not -",
	0x2013: "en dash, not -", 0x2014: "em dash, not -", 0x2212: "minus sign, not -",
	0x2028: "line separator", 0x3000: "ideographic space", 0xFEFF: "byte order mark", 0: "NUL",
}

// isInvisible reports characters that take no room of their own.
func isInvisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r)
}

// show puts a name into a message between quotes of the message's own: like
// quote, without the quotes.
func show(s string) string {
	q := quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\\`, `\`)
}

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
