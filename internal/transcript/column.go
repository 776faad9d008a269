package transcript

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
)

// bodyIndent is what text below the line of a step begins with. As no other line
// begins with a blank, no text can look like a line of ours.
const bodyIndent = "  "

// column writes text in a column of a terminal: every line indented, broken
// between words where it would not fit, the rest of a list item aligned with its
// beginning. Escape sequences of styles take no room. It holds the last word
// back, because more of it may follow.
type column struct {
	indent string
	width  int // columns of the terminal; 0 breaks no line
	hang   int // further columns of continued lines

	at     int             // columns of the current line that are filled, after the indent
	spaces string          // before the word
	word   strings.Builder // with its escape sequences
	plain  strings.Builder // without them
	lead   string          // the first word of the line, with the spaces before it
	seen   bool            // whether the line has a word
	last   rune            // the last character of the word
}

// Characters that no line begins or ends with.
const (
	closers = "，。、；：？！）］｝」』】》〉〕…—"
	openers = "（［｛「『【《〈〔"
)

var listMark = regexp.MustCompile(`^ *(?:[-*+•>]|[0-9]{1,9}[.)])$`)

// write adds text without line feeds and returns what can be shown.
func (c *column) write(text string) string {
	if c.width == 0 {
		if !c.seen && text != "" {
			c.seen = true
			return c.indent + text
		}
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == 0x1b { // a style of ours, complete
			end := i + strings.IndexByte(text[i:], 'm') + 1
			c.word.WriteString(text[i:end])
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if r == ' ' || r == '\t' {
			b.WriteString(c.flush())
			c.spaces += strings.ReplaceAll(string(r), "\t", "    ")
			continue
		}
		if (printable.IsWide(r) || printable.IsWide(c.last)) && !strings.ContainsRune(closers, r) && !strings.ContainsRune(openers, c.last) {
			b.WriteString(c.flush()) // a line may break before and after a wide character
		}
		c.word.WriteRune(r)
		c.plain.WriteRune(r)
		c.last = r
	}
	return b.String()
}

// flush returns the word, after the spaces before it or on a new line.
func (c *column) flush() string {
	word, plain := c.word.String(), c.plain.String()
	c.word.Reset()
	c.plain.Reset()
	c.last = 0
	if plain == "" {
		return word // only styles
	}
	var b strings.Builder
	size := printable.Columns(plain)
	room := c.width - 1 - printable.Width(c.indent) // the last column may wrap
	switch {
	case !c.seen:
		c.seen = true
		b.WriteString(c.indent + c.spaces)
		c.at = len(c.spaces)
		c.lead = c.spaces + plain
	case c.width > 0 && c.at+len(c.spaces)+size > room:
		c.hanging()
		b.WriteString("\n" + c.indent + strings.Repeat(" ", c.hang))
		c.at = c.hang
	default:
		b.WriteString(c.spaces)
		c.at += len(c.spaces)
	}
	c.spaces = ""
	if c.width > 0 && c.at+size > room && word == plain { // longer than a line
		for i, part := range printable.Wrap(word, max(room-c.at, 2)) {
			if i > 0 {
				b.WriteString("\n" + c.indent + strings.Repeat(" ", c.at))
			}
			b.WriteString(part)
			size = printable.Columns(part)
		}
	} else {
		b.WriteString(word)
	}
	c.at += size
	return b.String()
}

// hanging sets where the continued lines of a line begin.
func (c *column) hanging() {
	if c.lead == "" {
		return
	}
	if listMark.MatchString(c.lead) {
		c.hang = len(c.lead) + 1
	} else {
		c.hang = max(c.hang, len(c.lead)-len(strings.TrimLeft(c.lead, " ")))
	}
	if c.hang > c.width/2 {
		c.hang = 0
	}
	c.lead = ""
}

// end returns the last word and ends the line without a line feed.
func (c *column) end() string {
	out := c.flush()
	*c = column{indent: c.indent, width: c.width}
	return out
}

// newline ends the line.
func (c *column) newline() string { return c.end() + "\n" }
