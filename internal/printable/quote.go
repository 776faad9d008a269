package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Quote puts text into a message: shortened, with control and invisible
// characters escaped.
func Quote(s string) string {
	return strings.ReplaceAll(strconv.Quote(Truncate(s, 60)), `\"`, `"`)
}

// Quoted is Quote without the quotes, for a message that has its own.
func Quoted(s string) string {
	q := Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\\`, `\`)
}

// Rune describes a character so that it can be found: its code point, and the
// character itself if it is visible.
func Rune(r rune) string {
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

// runeNames are characters that people paste without seeing them.
var runeNames = map[rune]string{
	' ': "space", '\t': "tab", 0xA0: "non-breaking space", 0xAD: "soft hyphen",
	0x200B: "zero-width space", 0x200C: "zero-width non-joiner", 0x200D: "zero-width joiner",
	0x2010: "hyphen, not -", 0x2011: "non-breaking hyphen, not -", 0x2012: "figure dash, not -",
	0x2013: "en dash, not -", 0x2014: "em dash, not -", 0x2212: "minus sign, not -",
	0x2028: "line separator", 0x3000: "ideographic space", 0xFEFF: "byte order mark", 0: "NUL",
	0x61C: "Arabic letter mark", 0x200E: "left-to-right mark", 0x200F: "right-to-left mark", 0x2060: "word joiner", 0x3164: "Hangul filler",
	0x202A: "left-to-right embedding", 0x202B: "right-to-left embedding", 0x202D: "left-to-right override", 0x202E: "right-to-left override",
	0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate",
}

// Invisible reports format and control characters.
func Invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r)
}
