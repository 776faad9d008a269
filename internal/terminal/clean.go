// Package terminal holds what concerns the place where a person reads: making
// text harmless to show, and deciding on colour. It knows nothing of what is
// shown.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from files, models and scripts safe to print: control
// characters become the pictures that stand for them, characters that reorder
// or hide text are named, invalid UTF-8 becomes U+FFFD. Line feeds and tabs
// stay.
func Clean(s string) string {
	if isPlain(s) || !strings.ContainsFunc(s, unsafeRune) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case !unsafeRune(r):
			b.WriteRune(r) // invalid bytes arrive here as U+FFFD
		case r < 0x20:
			b.WriteRune('␀' + r)
		case r == 0x7F:
			b.WriteRune('␡')
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// Line is Clean for text that must stay on one line, such as a file name or a
// cell of a table: line feeds and tabs become pictures too.
func Line(s string) string {
	// Not a Replacer: making one costs more than most lines.
	return strings.ReplaceAll(strings.ReplaceAll(Clean(s), "\n", "␊"), "\t", "␉")
}

// isPlain reports whether text is of nothing but printing ASCII, line feeds and
// tabs, as most is: that is seen faster than the rest is looked for.
func isPlain[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

// unsafeRune reports characters that move the cursor, change the terminal's
// state, or make text look other than it is.
func unsafeRune(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return true
	case r < 0x2000:
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // bidirectional overrides
		return true
	case r == 0x2028 || r == 0x2029: // line and paragraph separator
		return true
	}
	return r >= 0xE0000 && r <= 0xE007F || unicode.Is(unicode.Co, r) && r > 0xFFFF
}
