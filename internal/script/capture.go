package script

import (
	"io"
	"sync"

	"skills/internal/printable"
)

// capture keeps what a script writes to one stream, as clean text. A process
// that got away may still write after the end.
type capture struct {
	mu      sync.Mutex
	clean   *printable.Stripper
	filter  io.Closer // between the two, nil for none
	excerpt *printable.Excerpt
	done    bool
}

// newCapture returns a capture that keeps at most limit bytes of what the
// filter lets through; nil lets everything through.
func newCapture(limit int, filter func(io.Writer) io.WriteCloser) *capture {
	c := &capture{excerpt: printable.NewExcerpt(limit)}
	c.clean = printable.NewStripper(c.excerpt)
	if filter != nil {
		w := filter(c.excerpt)
		c.clean, c.filter = printable.NewStripper(w), w
	}
	return c
}

// Write takes the next bytes of the stream. It never fails.
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
	return c.excerpt.Text()
}
