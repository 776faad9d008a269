package terminal

import (
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// Column is a column of a terminal: every line is indented and broken between words, and
// continued lines of a list item are aligned with its start.
type Column struct {
	Indent string // of every line
	Width  int    // columns of the terminal; 0 for no limit
	Hang   int    // additional indentation of continued lines
}

var listMark = lazyregexp.New(`^ *(?:[-*+•>]|[0-9]{1,9}[.)])$`)

// Fold formats one line, without a line feed at its end. Escape sequences of styles have
// no width. Without end more text may follow: the last word is omitted, so that the
// result is the start of that of the complete line.
func (c Column) Fold(text string, end bool) string {
	if c.Width == 0 && text != "" {
		return c.Indent + text
	}
	var b strings.Builder
	room := c.Width - 1 - printable.Width(c.Indent) // the last column may wrap
	at, hang, spaces := -1, 0, 0                    // filled columns, -1 before the first word
	for text != "" {
		if rest := strings.TrimLeft(text, " \t"); rest != text {
			blank := text[:len(text)-len(rest)]
			spaces += len(blank) + 3*strings.Count(blank, "\t")
			text = rest
			continue
		}
		word, plain := printable.FirstWord(text)
		text = text[len(word):]
		if text == "" && !end {
			break
		}
		if plain == "" { // only styles
			b.WriteString(word)
			continue
		}
		size := printable.Columns(plain)
		switch {
		case at < 0:
			b.WriteString(c.Indent + strings.Repeat(" ", spaces))
			at, hang = spaces, c.hanging(spaces, plain)
		case at+spaces+size > room:
			b.WriteString("\n" + c.Indent + strings.Repeat(" ", hang))
			at = hang
		default:
			b.WriteString(strings.Repeat(" ", spaces))
			at += spaces
		}
		spaces = 0
		if at+size > room { // longer than a line
			parts := printable.Wrap(word, max(room-at, 2))
			word, size = strings.Join(parts, "\n"+c.Indent+strings.Repeat(" ", at)), printable.Columns(parts[len(parts)-1])
		}
		b.WriteString(word)
		at += size
	}
	return b.String()
}

// hanging returns the indentation of continued lines after the first word of a line.
func (c Column) hanging(spaces int, word string) int {
	hang := max(c.Hang, spaces)
	if listMark().MatchString(word) {
		hang = spaces + len(word) + 1
	}
	if hang > c.Width/2 {
		return 0
	}
	return hang
}
