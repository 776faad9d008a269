package printable

import (
	"bytes"
	"strings"
)

// Excerpt is a writer that keeps the beginning and the end of a stream.
type Excerpt struct {
	limit      int
	head, tail []byte // tail is up to twice its cap, so that it is seldom moved
	total      int64
}

// NewExcerpt returns an Excerpt that keeps limit bytes.
func NewExcerpt(limit int) *Excerpt { return &Excerpt{limit: limit} }

// Write takes the next bytes, valid UTF-8 in whole characters. It never fails.
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

// Text is what was kept, with a line instead of what was not; cut says whether
// there is one. It comes on top of the limit; the cut is between characters.
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
	return text + "… " + Grouped(e.total-int64(len(head)+len(tail))) + " bytes left out …\n" + string(tail), true
}

func last(p []byte, n int) []byte { return p[max(0, len(p)-n):] }
