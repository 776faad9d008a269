package terminal

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"skills/internal/printable"
)

// statusDelay is how long a wait lasts before the line appears.
const statusDelay = 400 * time.Millisecond

// minActivity is how many columns the activity keeps before the note is dropped.
const minActivity = 20

// Status is a line at the bottom of a terminal that says what the program is
// waiting for, and for how long. Whoever writes to the terminal holds the line
// meanwhile, which erases it and also keeps concurrent writers apart. The
// terminal is never queried.
//
// The cursor stays at the start of the line. A terminal that becomes narrower
// wraps or cuts the line; either way all of it is behind the cursor.
//
// A nil Status does nothing.
type Status struct {
	w     io.Writer
	width func() int
	now   func() time.Time

	mu    sync.Mutex // held while anything is written
	what  string     // the activity, "" for none
	note  string
	since time.Time
	drawn string // what the terminal shows

	stop context.CancelFunc
	done chan struct{}
}

// NewStatus returns the status line of a terminal. width returns the number of
// columns, 0 while another program has the terminal. The line is redrawn at
// each tick; with a nil channel, for output without a terminal, it only keeps
// writers apart. The caller has to close it.
func NewStatus(w io.Writer, width func() int, now func() time.Time, tick <-chan time.Time) *Status {
	ctx, stop := context.WithCancel(context.Background())
	s := &Status{w: w, width: width, now: now, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick:
				s.draw()
			}
		}
	}()
	return s
}

// Hold erases the line until Release. It waits while another holder has it.
func (s *Status) Hold() {
	if s != nil {
		s.mu.Lock()
		s.erase()
	}
}

// Wait sets the activity to show after Release, and a note behind the seconds;
// "" for none. The seconds count from the first call with this activity. Only
// the holder of the line may call it.
func (s *Status) Wait(what, note string) {
	if s == nil {
		return
	}
	if s.note = note; what != s.what {
		s.what, s.since = what, s.now()
	}
}

// Release allows the line to be drawn again.
func (s *Status) Release() {
	if s != nil {
		s.mu.Unlock()
	}
}

// Close erases the line for good.
func (s *Status) Close() {
	if s == nil {
		return
	}
	s.stop()
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// draw redraws the line, unless somebody holds it.
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

func (s *Status) erase() {
	if s.drawn == "" {
		return
	}
	if s.drawn = ""; s.width() > 0 {
		io.WriteString(s.w, "\r\x1b[J")
	}
}

// line is the line for so many columns. The activity is shortened to
// minActivity first, then the note is dropped, and the seconds go last.
func (s *Status) line(seconds string, columns int) string {
	what, rest := printable.Line(s.what), " · "+seconds
	if s.note != "" {
		long := rest + " · " + printable.Line(s.note)
		if left := columns - printable.Width(long); left >= min(minActivity, printable.Width(what)) {
			return printable.Fit(what, left) + long
		}
	}
	if left := columns - printable.Width(rest); left > 1 {
		return printable.Fit(what, left) + rest
	}
	return printable.Fit(seconds, columns)
}

func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
