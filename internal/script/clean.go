package script

import (
	"io"
	"unicode/utf8"
)

// cleaner makes a stream of bytes fit for a model and a terminal while it
// passes through: invalid UTF-8 becomes U+FFFD; escape sequences and control
// characters go, except newline and tab; CR LF becomes a newline, and so does a
// lone CR, which would otherwise glue the frames of a progress bar together. It
// works on the stream, not on the excerpt, so that a cut never leaves half an
// escape sequence.
type cleaner struct {
	to    io.Writer // receives valid UTF-8, whole characters at a time; must not fail
	state escapeState
	cr    bool   // a CR waits for what follows it
	rest  []byte // the beginning of a character whose end has not come yet
	data  []byte // reused: rest and the bytes written
}

// escapeState is how far into an escape sequence (ECMA-48) the stream is.
type escapeState int

const (
	plain    escapeState = iota
	escape               // after ESC
	csi                  // after ESC [: parameters up to a final byte
	text                 // after ESC ] and its like: a string up to its terminator
	textStop             // in such a string, after ESC
)

// Write takes the next bytes of the stream. It never fails.
func (c *cleaner) Write(p []byte) (int, error) {
	c.data = append(append(c.data[:0], c.rest...), p...)
	c.rest = c.rest[:0]
	for i := 0; i < len(c.data); {
		if c.state == plain && !c.cr {
			if n := printablePrefix(c.data[i:]); n > 0 {
				c.to.Write(c.data[i : i+n])
				i += n
				continue
			}
		}
		if !utf8.FullRune(c.data[i:]) {
			c.rest = append(c.rest, c.data[i:]...)
			break
		}
		r, size := utf8.DecodeRune(c.data[i:])
		c.rune(r)
		i += size
	}
	return len(p), nil
}

// finish ends the stream: the beginning of a character is invalid by now.
func (c *cleaner) finish() {
	for range c.rest {
		c.rune(utf8.RuneError)
	}
	c.rest = c.rest[:0]
}

// printablePrefix is how many bytes at the front pass through as they are.
func printablePrefix(data []byte) int {
	for i, b := range data {
		if (b < ' ' || b > '~') && b != '\n' && b != '\t' {
			return i
		}
	}
	return len(data)
}

const (
	bel = '\a'
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// rune takes one character, which is U+FFFD for an invalid byte.
func (c *cleaner) rune(r rune) {
	switch c.state {
	case escape:
		switch {
		case r == '[':
			c.state = csi
		case r == ']', r == 'P', r == 'X', r == '^', r == '_':
			c.state = text
		case r >= ' ' && r <= '/': // an intermediate byte, the end is to come
		case r >= '0' && r <= '~':
			c.state = plain
		default:
			c.state = plain
			c.plain(r)
		}
	case csi:
		switch {
		case r >= ' ' && r <= '?':
		case r >= '@' && r <= '~':
			c.state = plain
		default:
			c.state = plain
			c.plain(r)
		}
	case text, textStop:
		switch {
		case r == '\n' || r == '\r':
			// One that never ends must not swallow the rest of the output.
			c.state = plain
			c.plain(r)
		case r == bel, r == can, r == sub, r == 0x9c, c.state == textStop && r == '\\':
			c.state = plain
		case r == esc:
			c.state = textStop
		default:
			c.state = text
		}
	default:
		c.plain(r)
	}
}

// plain takes a character outside of an escape sequence.
func (c *cleaner) plain(r rune) {
	if c.cr && r != '\r' {
		c.cr = false
		if r != '\n' {
			c.emit('\n')
		}
	}
	switch {
	case r == '\n' || r == '\t':
		c.emit(r)
	case r == '\r':
		c.cr = true
	case r == esc:
		c.state = escape
	case r == 0x9b: // the one-character forms of ESC [ and of the strings
		c.state = csi
	case r == 0x90, r == 0x98, r == 0x9d, r == 0x9e, r == 0x9f:
		c.state = text
	case r < ' ', r >= 0x7f && r < 0xa0:
	default:
		c.emit(r)
	}
}

func (c *cleaner) emit(r rune) {
	var buf [utf8.UTFMax]byte
	c.to.Write(buf[:utf8.EncodeRune(buf[:], r)])
}
