package printable

// Output of programs is stripped of what a terminal would obey, as a stream: a state machine
// reads the escape sequences, so that no sequence passes in two writes, and one that never
// ends swallows at most the rest of its line.

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Stripper removes terminal controls from a stream. Escape sequences and
// control characters except line feed and tab are removed, CR LF and a lone CR
// become a line feed, and invalid UTF-8 becomes U+FFFD. It works on the stream,
// so that later truncation never splits an escape sequence.
type Stripper struct {
	w     io.Writer
	state escapeState
	cr    bool   // a CR waits for the next character
	rest  []byte // the start of an incomplete character
	out   []byte
}

// NewStripper returns a Stripper that writes complete characters to w.
func NewStripper(w io.Writer) *Stripper { return &Stripper{w: w} }

// escapeState is the position in an escape sequence (ECMA-48).
type escapeState int

const (
	outside        escapeState = iota
	afterEscape                // after ESC
	inControl                  // after ESC [: parameters up to a final byte
	inString                   // after ESC ] and similar: a string up to its terminator
	escapeInString             // in such a string, after ESC
)

const (
	bell       = '\a'
	cancel     = 0x18
	substitute = 0x1A
	escape     = 0x1B
)

// Write adds bytes to the stream. Errors are those of the underlying writer.
func (s *Stripper) Write(p []byte) (int, error) {
	data := append(s.rest, p...)
	s.rest, s.out = nil, s.out[:0]
	for i := 0; i < len(data); {
		if s.state == outside && !s.cr && isOrdinary(data[i]) {
			s.out = append(s.out, data[i])
			i++
			continue
		}
		if !utf8.FullRune(data[i:]) {
			s.rest = append(s.rest, data[i:]...)
			break
		}
		r, size := utf8.DecodeRune(data[i:])
		s.rune(r)
		i += size
	}
	_, err := s.w.Write(s.out)
	return len(p), err
}

// isOrdinary reports whether a byte is a character that is kept whatever follows it.
func isOrdinary(b byte) bool { return b >= ' ' && b <= '~' || b == '\n' || b == '\t' }

// Close ends the stream without closing the underlying writer, whose errors it
// returns.
func (s *Stripper) Close() error {
	s.out = s.out[:0]
	for range s.rest {
		s.rune(utf8.RuneError)
	}
	s.rest = nil
	_, err := s.w.Write(s.out)
	return err
}

// rune processes one character, U+FFFD for an invalid byte.
func (s *Stripper) rune(r rune) {
	state := s.state
	s.state = outside
	switch {
	case state == outside:
		s.text(r)
	case state == afterEscape && r == '[':
		s.state = inControl
	case state == afterEscape && opensString(r):
		s.state = inString
	case state == afterEscape && r >= ' ' && r <= '/', state == inControl && r >= ' ' && r <= '?':
		s.state = state // more follows
	case state == afterEscape && r >= '0' && r <= '~', state == inControl && r >= '@' && r <= '~':
	case state == afterEscape, state == inControl, r == '\n', r == '\r':
		s.text(r) // also if a string never ends
	case r == bell, r == cancel, r == substitute, r == 0x9C, state == escapeInString && r == '\\':
	case r == escape:
		s.state = escapeInString
	default:
		s.state = inString
	}
}

// opensString reports whether a character after ESC starts a string: OSC, DCS, SOS, PM
// or APC.
func opensString(r rune) bool { return r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_' }

// text processes a character outside of escape sequences.
func (s *Stripper) text(r rune) {
	if s.cr && r != '\r' {
		s.cr = false
		if r != '\n' {
			s.out = append(s.out, '\n')
		}
	}
	switch {
	case r == '\r':
		s.cr = true
	case r == escape:
		s.state = afterEscape
	case r == 0x9B: // the one-character forms of ESC [ and of the string introducers
		s.state = inControl
	case r == 0x90, r == 0x98, r == 0x9D, r == 0x9E, r == 0x9F:
		s.state = inString
	case r == '\n', r == '\t', r >= ' ' && r < 0x7F, r >= 0xA0:
		s.out = utf8.AppendRune(s.out, r)
	}
}

// Excerpt is a writer that keeps the start and the end of a stream.
type Excerpt struct {
	limit      int
	head, tail []byte // tail may grow to twice its limit, so that it is rarely moved
	total      int64
}

// NewExcerpt returns an Excerpt that keeps limit bytes.
func NewExcerpt(limit int) *Excerpt { return &Excerpt{limit: limit} }

// Write adds complete characters of valid UTF-8. It never fails.
func (e *Excerpt) Write(p []byte) (int, error) {
	n, tailCap := len(p), e.limit-e.limit/2
	e.total += int64(n)
	taken := min(n, e.limit/2-len(e.head))
	e.head = append(e.head, p[:taken]...)
	p = last(p[taken:], tailCap)
	if len(e.tail)+len(p) > 2*tailCap {
		e.tail = append(e.tail[:0], last(e.tail, tailCap)...)
	}
	e.tail = append(e.tail, p...)
	return n, nil
}

// Text returns the kept text, with a line in place of the omitted part; cut
// reports whether there is one. The line is not part of the limit.
func (e *Excerpt) Text() (text string, cut bool) {
	head, tail := e.head, last(e.tail, e.limit-e.limit/2)
	if e.total <= int64(len(head)+len(tail)) {
		return string(head) + string(tail), false
	}
	head, tail = bytes.ToValidUTF8(head, nil), bytes.ToValidUTF8(tail, nil)
	text = string(head)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "… " + Grouped(e.total-int64(len(head)+len(tail))) + " bytes omitted …\n" + string(tail), true
}

func last(p []byte, n int) []byte { return p[max(0, len(p)-n):] }
