package model

import (
	"context"
	"fmt"
	"io"
	"time"
)

const (
	// timeoutFactor is how much longer than [Limits.Idle] the server may take
	// where less can be seen of its work: for a reply that is not streamed, and
	// for an event of a stream while comments or single bytes keep coming.
	timeoutFactor = 5
	// trailingTime is how long a stream is read after its answer is complete.
	trailingTime = 2 * time.Second

	timeoutHint = "check whether the server is overloaded, or increase --idle-timeout"
)

// timeouts cancels an attempt whose reply does not progress, with an *Error as
// the cause. Three times are limited: without any byte, without an event, and
// for the whole reply. A server that sends a byte a second, or comments, is
// stopped by the second; one that sends a word a second for ever by the third.
// A nil *timeouts limits nothing.
type timeouts struct {
	cancel context.CancelCauseFunc
	host   string
	idle   time.Duration // 0 for no limit
	timers []*time.Timer
	bytes  *time.Timer // nil for no limit, as events
	events *time.Timer // nil until something came
	end    *time.Timer // nil until the answer is complete
}

// newTimeouts starts the timers of an attempt.
func newTimeouts(host string, l Limits, stream bool, cancel context.CancelCauseFunc) *timeouts {
	t := &timeouts{cancel: cancel, host: host, idle: max(0, l.Idle)}
	if t.idle > 0 {
		silent := t.idle
		if !stream {
			silent *= timeoutFactor
		}
		t.bytes = t.after(silent, "the server at %s sent nothing for %s", timeoutHint, true)
	}
	if l.Total > 0 {
		t.after(l.Total, "the reply of the server at %s was not complete after %s", "ask for less at once, or choose a faster model with -m", false)
	}
	return t
}

func (t *timeouts) after(d time.Duration, format, hint string, temporary bool) *time.Timer {
	e := &Error{Message: fmt.Sprintf(format, t.host, d), Hint: hint, Temporary: temporary}
	timer := time.AfterFunc(d, func() { t.cancel(e) })
	t.timers = append(t.timers, timer)
	return timer
}

// onBytes notes that bytes came.
func (t *timeouts) onBytes() {
	if t == nil || t.idle == 0 || t.end != nil {
		return
	}
	t.bytes.Reset(t.idle)
	if t.events == nil {
		t.events = t.after(t.idle*timeoutFactor, "the server at %s sent no part of a reply for %s", timeoutHint, true)
	}
}

// onEvent notes that a part of the reply came. Where the answer is complete with
// it, the stream has a moment left for its end, unless more comes: some servers
// send a reason for the end with each part.
func (t *timeouts) onEvent(complete bool) {
	if t == nil {
		return
	}
	if t.end != nil {
		t.end.Stop()
		t.end = nil
	}
	t.onBytes()
	if t.events != nil {
		t.events.Reset(t.idle * timeoutFactor)
	}
	if complete {
		t.stopIdle()
		t.end = t.after(trailingTime, "the stream of the server at %s does not end within %s", "", false)
	}
}

func (t *timeouts) stopIdle() {
	for _, timer := range []*time.Timer{t.bytes, t.events} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// stop stops the timers.
func (t *timeouts) stop() {
	for _, timer := range t.timers {
		timer.Stop()
	}
}

// boundedReader fails beyond its limit, for cut JSON must not look like the end
// of a reply, and notes that bytes came.
type boundedReader struct {
	r        io.Reader
	left     int64
	timeouts *timeouts
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if int64(len(p))-1 > b.left {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if n > 0 {
		b.timeouts.onBytes()
	}
	if int64(n) > b.left {
		return 0, errTooLarge
	}
	b.left -= int64(n)
	return n, err
}
