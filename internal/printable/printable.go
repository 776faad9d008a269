// Package printable makes text from files, models, servers and scripts safe to
// show: control characters become visible, long text is truncated, and JSON
// stays readable. It imports no other package of the program.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text replaces control characters by their pictures (␛), characters that
// reorder or hide text by their names (<U+202E>), and invalid UTF-8 by U+FFFD.
// Line feeds and tabs stay; CR LF becomes a line feed.
func Text(s string) string {
	if !strings.ContainsFunc(s, isUnsafe) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case !isUnsafe(r):
			b.WriteRune(r) // invalid bytes are U+FFFD here
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

// Line is like Text for a single line, such as a file name or a table cell:
// line feeds and tabs become pictures too.
func Line(s string) string {
	// Creating a strings.Replacer costs more than processing most lines.
	return strings.ReplaceAll(strings.ReplaceAll(Text(s), "\n", "␊"), "\t", "␉")
}

// Truncate shortens a text to its first most code points, followed by an
// ellipsis.
func Truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// TruncateMiddle shortens a text to most code points, two thirds from its start
// and the rest from its end, with the number of omitted ones in between.
func TruncateMiddle(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	head, tail := most*2/3, most/3
	return fmt.Sprintf("%s …(%d characters omitted)… %s", string(r[:head]), len(r)-head-tail, string(r[len(r)-tail:]))
}

// isUnsafe reports whether r moves the cursor, changes the terminal's state, or
// changes how other text looks.
func isUnsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return true
	case r < 0x2000:
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // bidirectional overrides
		return true
	case r == 0x2028 || r == 0x2029: // line and paragraph separators
		return true
	}
	return r >= 0xE0000 && r <= 0xE007F || unicode.Is(unicode.Co, r) && r > 0xFFFF
}

// Plural returns a number with its noun: 1 error, 2 errors.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List joins the first names of a list by commas, and counts the others.
func List(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Grouped returns a positive number with a comma before every three digits:
// 12,345.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Quote returns text in quotes for a message, shortened and with invisible
// characters escaped.
func Quote(s string) string {
	return strings.ReplaceAll(strconv.Quote(Truncate(s, 60)), `\"`, `"`)
}

// Quoted is Quote without the quotes, for a message that has its own.
func Quoted(s string) string {
	q := Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\\`, `\`)
}

// Rune describes a character by its code point, and by itself if it is visible.
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

// runeNames holds characters that users often paste unintentionally.
var runeNames = map[rune]string{
	' ': "space", '\t': "tab", 0xA0: "non-breaking space", 0xAD: "soft hyphen",
	0x200B: "zero-width space", 0x200C: "zero-width non-joiner", 0x200D: "zero-width joiner",
	0x2010: "hyphen, not -", 0x2011: "non-breaking hyphen, not -", 0x2012: "figure dash, not -",
	0x2013: "en dash, not -", 0x2014: "em dash, not -", 0x2212: "minus sign, not -",
	0x85: "next line", 0x2028: "line separator", 0x2029: "paragraph separator", 0x3000: "ideographic space", 0xFEFF: "byte order mark", 0: "NUL",
	0x61C: "Arabic letter mark", 0x200E: "left-to-right mark", 0x200F: "right-to-left mark", 0x2060: "word joiner", 0x3164: "Hangul filler",
	0x202A: "left-to-right embedding", 0x202B: "right-to-left embedding", 0x202D: "left-to-right override", 0x202E: "right-to-left override",
	0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate",
}

// Invisible reports whether r is a format or control character.
func Invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r)
}

// Map returns the texts that f returns for the elements of a list, and nil for nil.
func Map[T any](list []T, f func(T) string) []string {
	var out []string
	for _, element := range list {
		out = append(out, f(element))
	}
	return out
}

// ShellWord quotes a word for a shell if necessary; control characters become visible.
func ShellWord(w string) string {
	w = Strict(w)
	if w == "" || strings.ContainsFunc(w, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%{}", r)
	}) {
		w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}
