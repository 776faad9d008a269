package strictyaml

import (
	"fmt"
	"unicode/utf8"
)

// end is what the cursor shows behind the last character. The character itself
// may not occur in the text.
const end = '\x00'

// bom does not count as a column.
const bom = '\uFEFF'

// mark is a position. indent is the column as the indentation rules of the
// original see it: it starts at 0 and, unlike column, goes on over a BOM
// without counting.
type mark struct {
	index        int // code points before it
	line, column int // from 1
	indent       int
}

// cursor walks over the code points of a text.
type cursor struct {
	text []rune // with end as its last element
	at   mark
}

// newCursor refuses a text with characters that YAML does not allow.
func newCursor(text string) (*cursor, error) {
	c := &cursor{text: make([]rune, 0, len(text)+1), at: mark{line: 1, column: 1}}
	for i, r := range text {
		bad := !printable(r)
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(text[i:])
			bad = size == 1
		}
		c.text = append(c.text, r)
		if bad {
			c.text = append(c.text, end)
			c.advance(len(c.text) - 2)
			return nil, refuse(c.at, Character, fmt.Sprintf("character U+%04X is not allowed in YAML", r))
		}
	}
	c.text = append(c.text, end)
	return c, nil
}

// printable says whether YAML allows r in its text at all.
func printable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return false
	case r >= 0xD800 && r < 0xE000, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

// peek returns the n-th character from here, end behind the text.
func (c *cursor) peek(n int) rune {
	if i := c.at.index + n; i < len(c.text) {
		return c.text[i]
	}
	return end
}

// breaksLine says whether a new line starts after the character at index i.
// Only \n, \r\n and \r do that; U+0085, U+2028 and U+2029 end a line of YAML
// but start no new one for columns and line numbers.
func (c *cursor) breaksLine(i int) bool {
	switch c.text[i] {
	case '\n':
		return true
	case '\r':
		return c.text[i+1] != '\n'
	}
	return false
}

// advance moves n characters on, at most to the end.
func (c *cursor) advance(n int) {
	for ; n > 0 && c.at.index < len(c.text)-1; n-- {
		i := c.at.index
		c.at.index++
		if c.breaksLine(i) {
			c.at.line++
			c.at.column, c.at.indent = 1, 0
			continue
		}
		c.at.column++
		if c.text[i] != bom {
			c.at.indent++
		}
	}
}

// take moves n characters on and returns them.
func (c *cursor) take(n int) string {
	s := string(c.text[c.at.index : c.at.index+n])
	c.advance(n)
	return s
}

// spaces moves over spaces, not tabs.
func (c *cursor) spaces() {
	for c.peek(0) == ' ' {
		c.advance(1)
	}
}

// restOfLine moves to the line break or the end.
func (c *cursor) restOfLine() {
	for !isLineEnd(c.peek(0)) {
		c.advance(1)
	}
}

// lineBreak moves over one line break and returns it in its normal form, ""
// where there is none.
func (c *cursor) lineBreak() string {
	switch c.peek(0) {
	case '\r':
		if c.peek(1) == '\n' {
			c.advance(1)
		}
		c.advance(1)
		return "\n"
	case '\n', 0x85:
		c.advance(1)
		return "\n"
	case 0x2028:
		c.advance(1)
		return "\u2028"
	case 0x2029:
		c.advance(1)
		return "\u2029"
	}
	return ""
}

// documentMarker says whether --- or ... stands here, followed by a blank.
func (c *cursor) documentMarker() bool {
	r := c.peek(0)
	return (r == '-' || r == '.') && c.peek(1) == r && c.peek(2) == r && isBlankOrEnd(c.peek(3))
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

func isLineEnd(r rune) bool { return r == end || isBreak(r) }

func isBlankOrEnd(r rune) bool { return r == ' ' || r == '\t' || isLineEnd(r) }
