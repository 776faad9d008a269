package script

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"skills/internal/printable"
)

// capture keeps what a script writes to one stream: clean text, its beginning
// and its end where it is longer than the cap. It may be read while the stream
// still comes in.
type capture struct {
	mu      sync.Mutex
	clean   *printable.Stripper
	filter  io.Closer // between the two, nil for none
	excerpt excerpt
	done    bool
}

// newCapture returns a capture that keeps at most limit bytes of what the
// filter lets through; nil lets everything through.
func newCapture(limit int, filter func(io.Writer) io.WriteCloser) *capture {
	c := &capture{excerpt: excerpt{headCap: limit / 2, tailCap: limit - limit/2}}
	c.clean = printable.NewStripper(&c.excerpt)
	if filter != nil {
		w := filter(&c.excerpt)
		c.clean, c.filter = printable.NewStripper(w), w
	}
	return c
}

// Write takes the next bytes of the stream. It never fails, so that a script
// never waits for, or dies of, a full pipe.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.clean.Write(p)
	}
	return len(p), nil
}

// finish ends the stream and returns its text, and whether something is left
// out of it. What is written afterwards is thrown away.
func (c *capture) finish() (text string, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.clean.Close() // the excerpt never fails
		if c.filter != nil {
			c.filter.Close()
		}
		c.done = true
	}
	return c.excerpt.text()
}

// excerpt keeps the first headCap and the last tailCap bytes of a stream, and
// counts all of them.
type excerpt struct {
	headCap, tailCap int
	head             []byte
	tail             []byte // up to twice the cap, so that it is seldom moved
	total            int64
}

// Write takes the next bytes, valid UTF-8 in whole characters. It never fails.
func (e *excerpt) Write(p []byte) (int, error) {
	n := len(p)
	e.total += int64(n)
	taken := min(n, e.headCap-len(e.head))
	e.head = append(e.head, p[:taken]...)
	p = p[taken:]
	p = p[max(0, len(p)-e.tailCap):]
	if len(e.tail)+len(p) > 2*e.tailCap {
		e.tail = append(e.tail[:0], e.tail[max(0, len(e.tail)-e.tailCap):]...)
	}
	e.tail = append(e.tail, p...)
	return n, nil
}

// text is the excerpt, with a line instead of what is left out. The line comes on
// top of the cap; the cut is between characters.
func (e *excerpt) text() (text string, cut bool) {
	tail := e.tail[max(0, len(e.tail)-e.tailCap):]
	if e.total <= int64(len(e.head)+len(tail)) {
		return string(e.head) + string(tail), false
	}
	head := string(bytes.ToValidUTF8(e.head, nil))
	tail = bytes.ToValidUTF8(tail, nil)
	left := printable.Grouped(e.total - int64(len(head)+len(tail)))
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + "… " + left + " bytes left out …\n" + string(tail), true
}
