package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/printable"
)

// statusDelay is how long a wait lasts before it is worth a line.
const statusDelay = 400 * time.Millisecond

// leastWhat is how many columns tell what is waited for, though not the whole
// name of it.
const leastWhat = 20

// Status is a line at the bottom of a terminal that says what is being waited
// for, and for how long. It is written over itself, and gone before anything
// else is written: whoever writes to the terminal holds it meanwhile, so that
// it is also what keeps writers apart that do not know of each other. The
// terminal is asked nothing.
//
// The cursor stands at the beginning of the line. A terminal that is made
// narrower takes the line apart and leaves the cursor there, or cuts the line:
// either way all of it is behind the cursor, and nothing else.
//
// A nil Status does nothing.
type Status struct {
	w     io.Writer
	width func() int
	now   func() time.Time

	mu    sync.Mutex // held while anything is written
	what  string     // waited for, "" for nothing
	note  string
	since time.Time
	drawn string // what stands on the terminal

	stop chan struct{}
	done chan struct{}
	once sync.Once
}

// NewStatus returns the status line of a terminal. width is asked at each look
// at it how many columns there are, 0 where somebody else writes there now: what
// stands there is then no longer ours. The line is drawn anew at each tick;
// without ticks, where there is no terminal, it only keeps writers apart. It has
// to be closed.
func NewStatus(w io.Writer, width func() int, now func() time.Time, tick <-chan time.Time) *Status {
	s := &Status{w: w, width: width, now: now, stop: make(chan struct{}), done: make(chan struct{})}
	if tick == nil {
		close(s.done)
		return s
	}
	go func() {
		defer close(s.done)
		for {
			select {
			case <-s.stop:
				return
			case <-tick:
				s.draw()
			}
		}
	}()
	return s
}

// Hold takes the line away until Release; it waits for others to release it.
func (s *Status) Hold() {
	if s != nil {
		s.mu.Lock()
		s.erase()
	}
}

// Wait says what is waited for after Release, and something to say behind the
// seconds; "" for nothing. The seconds count from the first call that says so.
// It is for those who hold the line.
func (s *Status) Wait(what, note string) {
	if s == nil {
		return
	}
	if s.note = note; what != s.what {
		s.what, s.since = what, s.now()
	}
}

// Release lets the line come back.
func (s *Status) Release() {
	if s != nil {
		s.mu.Unlock()
	}
}

// Close takes the line away for good, and returns when it is.
func (s *Status) Close() {
	if s == nil {
		return
	}
	s.once.Do(func() { close(s.stop) })
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// draw shows the line as it is now, unless somebody writes: then it can wait.
func (s *Status) draw() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	width := s.width()
	if width == 0 {
		s.drawn = ""
	}
	waited := s.now().Sub(s.since)
	if s.what == "" || waited < statusDelay {
		return
	}
	switch line := s.line(elapsed(waited), width-1); line { // the last column may wrap
	case s.drawn:
	case "":
		s.erase()
	default:
		s.drawn = line
		fmt.Fprintf(s.w, "\r%s\x1b[J\r", line)
	}
}

// erase leaves nothing of the line behind.
func (s *Status) erase() {
	if s.drawn == "" {
		return
	}
	if s.drawn = ""; s.width() > 0 {
		io.WriteString(s.w, "\r\x1b[J")
	}
}

// line is what to draw in so many columns. What is waited for is cut before the
// note is left out, as far as it can still be told; the seconds go last.
func (s *Status) line(seconds string, columns int) string {
	what, rest := printable.Line(s.what), " · "+seconds
	if s.note != "" {
		long := rest + " · " + printable.Line(s.note)
		if left := columns - lipgloss.Width(long); left >= min(leastWhat, lipgloss.Width(what)) {
			return fit(what, left) + long
		}
	}
	if left := columns - lipgloss.Width(rest); left > 1 {
		return fit(what, left) + rest
	}
	return fit(seconds, columns)
}

// elapsed is a time in full seconds.
func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// fit cuts a line to so many columns.
func fit(line string, columns int) string {
	if columns < 1 {
		return ""
	}
	r := []rune(line)
	if lipgloss.Width(line) <= columns {
		return line
	}
	r = r[:min(len(r), columns)]
	for len(r) > 0 && lipgloss.Width(string(r))+1 > columns {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
