package script

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

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
// counts all of them. Its memory does not grow beyond that.
type excerpt struct {
	headCap, tailCap int
	head             []byte
	tail             []byte // once it is full: a ring
	next             int    // where the oldest byte of the ring is
	total            int64
}

// Write takes the next bytes, valid UTF-8 in whole characters. It never fails.
func (e *excerpt) Write(p []byte) (int, error) {
	n := len(p)
	e.total += int64(n)

	taken := min(n, e.headCap-len(e.head))
	e.head = append(e.head, p[:taken]...)
	p = p[taken:]

	if len(p) > e.tailCap {
		p = p[len(p)-e.tailCap:]
	}
	taken = min(len(p), e.tailCap-len(e.tail))
	e.tail = append(e.tail, p[:taken]...)
	p = p[taken:]
	for len(p) > 0 {
		taken = copy(e.tail[e.next:], p)
		e.next = (e.next + taken) % e.tailCap
		p = p[taken:]
	}
	return n, nil
}

// text is the excerpt, with a line in the place of what is left out. The line
// comes on top of the cap; the cut is between characters.
func (e *excerpt) text() (text string, cut bool) {
	tail := append(append([]byte{}, e.tail[e.next:]...), e.tail[:e.next]...)
	kept := len(e.head) + len(tail)
	if e.total <= int64(kept) {
		return string(e.head) + string(tail), false
	}
	head := e.head
	for len(head) > 0 {
		if r, size := utf8.DecodeLastRune(head); r != utf8.RuneError || size != 1 {
			break
		}
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	var b strings.Builder
	b.Write(head)
	if len(head) > 0 && head[len(head)-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString("… " + printable.Grouped(e.total-int64(len(head)+len(tail))) + " bytes left out …\n")
	b.Write(tail)
	return b.String(), true
}
