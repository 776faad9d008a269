package terminal

// While the program waits, one line at the bottom says for what, and it is gone before
// anything else is written. Whoever writes holds the line, so that the line and the output
// never mix; the cursor stays at its start, so that a resized terminal is no matter.

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

// minActivity is the minimum width of the activity; before it gets shorter, the
// note is dropped.
const minActivity = 20

// Status is a line at the bottom of a terminal that shows what the program
// waits for, and for how long. Code that writes to the terminal holds the line
// meanwhile, which erases it and also serialises concurrent writers. The
// terminal is never queried.
//
// The cursor stays at the start of the line. A terminal that becomes narrower
// wraps or truncates the line; either way all of it is after the cursor.
//
// A nil Status does nothing.
type Status struct {
	w     io.Writer
	width func() int
	now   func() time.Time

	mu    sync.Mutex // held during every write
	what  string     // the activity, or ""
	note  string
	since time.Time
	below func() []string // further lines, or nil
	drawn string          // what the terminal shows

	stop context.CancelFunc
	done chan struct{}
}

// NewStatus returns the status line of a terminal. width returns the number of
// columns, 0 while another program uses the terminal. The line is redrawn at
// each tick; with a nil channel, for output without a terminal, it only
// serialises writers. The caller must close it.
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

// Hold erases the line until Release. It waits for another holder.
func (s *Status) Hold() {
	if s != nil {
		s.mu.Lock()
		s.erase()
	}
}

// Wait sets the activity to show after Release, and a note after the seconds,
// or "". The seconds count from the first call with this activity. Only the
// holder of the line may call it.
func (s *Status) Wait(what, note string) {
	if s == nil {
		return
	}
	s.note = note
	if what != s.what {
		s.what, s.since = what, s.now()
	}
}

// Note replaces the note while the line stays visible. The holder of the line must not
// call it.
func (s *Status) Note(note string) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.note = note
	}
}

// Below sets a function that returns further lines, to show below the first, and the
// time from which the seconds of the first count. Each activity then appears at once.
// Only the holder of the line may call it; the function is called without a holder.
func (s *Status) Below(since time.Time, lines func() []string) {
	s.since, s.below = since, lines
}

// Release allows the line to be drawn again.
func (s *Status) Release() {
	if s != nil {
		s.mu.Unlock()
	}
}

// Close erases the line permanently.
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

// draw redraws the line unless it is held.
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
	text, up := s.line(elapsed(waited), width-1), "" // text in the last column may wrap
	if text != "" && s.below != nil {
		lines := s.below()
		for _, line := range lines {
			text += "\x1b[K\r\n" + printable.Fit(printable.Line(line), width-1)
		}
		if len(lines) > 0 {
			up = fmt.Sprintf("\x1b[%dA", len(lines))
		}
	}
	switch text {
	case s.drawn:
	case "":
		s.erase()
	default:
		s.drawn = text
		fmt.Fprintf(s.w, "\r%s\x1b[J%s\r", text, up)
	}
}

func (s *Status) erase() {
	if s.drawn == "" {
		return
	}
	s.drawn = ""
	if s.width() > 0 {
		io.WriteString(s.w, "\r\x1b[J")
	}
}

// line returns the line for the given columns. It first shortens the activity
// to minActivity, then drops the note, and the seconds last.
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
