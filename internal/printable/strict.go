package printable

// Text that a person decides by, such as the command in an approval, must look like what it
// is: what is invisible, or could be taken for something else, is named.

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strict is like Line for text that must not be misread, such as in a prompt
// for approval. It also names invisible characters, blanks other than the
// space, variation selectors and more than two combining marks (<U+200B>).
func Strict(s string) string {
	var b strings.Builder
	marks := 0 // since the last letter; 2 if marks cannot follow
	for _, r := range Line(s) {
		switch {
		case r == ' ':
			marks = 2
		case unicode.Is(unicode.M, r) && marks < 2 && !isInvisible(r):
			marks++
		case unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !isInvisible(r):
			marks = 2
			if unicode.IsLetter(r) {
				marks = 0
			}
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isInvisible reports whether r has no visible form.
func isInvisible(r rune) bool {
	const brailleBlank = '\u2800'
	return r == brailleBlank || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Fit shortens a line so that it takes at most columns on any terminal, with an
// ellipsis at its end, which needs two columns. Terminals disagree on the width
// of non-ASCII characters, so each counts as two.
func Fit(s string, columns int) string {
	switch {
	case Width(s) <= columns:
		return s
	case columns < 2:
		return ""
	}
	return s[:fitting(s, columns-2)] + "…"
}

// FitMiddle is like Fit but omits the middle, for paths.
func FitMiddle(s string, columns int) string {
	if Width(s) <= columns || columns < 2 {
		return Fit(s, columns)
	}
	head := s[:fitting(s, columns/2-1)]
	tail := s[len(head):]
	for over := Width(tail) - (columns - 2 - Width(head)); over > 0; {
		r, n := utf8.DecodeRuneInString(tail)
		tail, over = tail[n:], over-width(r)
	}
	return head + "…" + tail
}

// Wrap splits a line into pieces of at most the given columns, or one
// character. Styles take no columns.
func Wrap(s string, columns int) []string {
	var out []string
	for n := fitting(s, columns); n < len(s); n = fitting(s, columns) {
		_, first := utf8.DecodeRuneInString(s)
		n = max(n, first)
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

// Fold breaks text between words into lines of at most width columns. The first
// line starts in column at, the others with indent. A word that is longer than a
// line is broken at wide characters only. A width of 0 means no limit.
func Fold(text string, at, width int, indent string) string {
	if width == 0 {
		return text
	}
	var b strings.Builder
	margin, blank := Width(indent), ""
	for i, word := range strings.Split(text, " ") {
		for j, p := range pieces(word, width-margin) {
			if i+j > 0 && at+len(blank)+p.columns > width {
				b.WriteString("\n" + indent)
				at, blank = margin, ""
			}
			b.WriteString(blank + p.text)
			at, blank = at+len(blank)+p.columns, ""
		}
		blank = " "
	}
	return b.String()
}

type piece struct {
	text    string
	columns int
}

// pieces splits a word if it takes more than width columns.
func pieces(word string, width int) (parts []piece) {
	whole := piece{text: word}
	for word != "" {
		first, plain := FirstWord(word)
		parts = append(parts, piece{first, Columns(plain)})
		whole.columns += Columns(plain)
		word = word[len(first):]
	}
	if whole.columns <= width {
		return []piece{whole}
	}
	return parts
}

// Characters that must not start or end a line.
const (
	closers = "，。、；：？！）］｝」』】》〉〕…—"
	openers = "（［｛「『【《〈〔"
)

// FirstWord returns the first word of a text with the styles in it, and without
// them. A line may break before and after a wide character, but not after an
// opening bracket or before a closing mark.
func FirstWord(text string) (word, plain string) {
	var b strings.Builder
	last := ' '
	for i := 0; i < len(text); {
		if text[i] == 0x1b { // a complete style of ours
			i += strings.IndexByte(text[i:], 'm') + 1
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		breaks := (isWide(r) || isWide(last)) && !strings.ContainsRune(closers, r) && !strings.ContainsRune(openers, last)
		isBlank := r == ' ' || r == '\t'
		ends := isBlank && i > 0 || breaks && b.Len() > 0
		if ends {
			return text[:i], b.String()
		}
		b.WriteRune(r)
		last = r
		i += size
	}
	return text, b.String()
}

// unstyled yields the characters of a text with their offsets, but not those of styles.
func unstyled(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		style := false
		for i, r := range s {
			switch {
			case style:
				style = r != 'm'
			case r == 0x1b:
				style = true
			case !yield(i, r):
				return
			}
		}
	}
}

// fitting returns how many bytes of a text fit in the given columns.
func fitting(s string, columns int) int {
	for i, r := range unstyled(s) {
		columns -= width(r)
		if columns < 0 {
			return i
		}
	}
	return len(s)
}

// Width returns the maximum number of columns that a text takes on any
// terminal.
func Width(s string) (n int) {
	for _, r := range s {
		n += width(r)
	}
	return n
}

func width(r rune) int {
	if r < unicode.MaxASCII {
		return 1
	}
	return 2
}
