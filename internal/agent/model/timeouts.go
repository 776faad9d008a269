package model

import (
	"context"
	"fmt"
	"time"
)

const (
	// eventFactor is how much longer than a byte a whole event may take, or a
	// reply that is not streamed.
	eventFactor = 5
	// trailingTime is how long a stream is read after its answer is complete.
	trailingTime = 2 * time.Second
	// noTimeout is the idle time of a client without one.
	noTimeout = 10 * 365 * 24 * time.Hour
)

// timeouts cancels an attempt whose reply does not progress, with an *Error as
// the cause: after the idle time without a byte, and after five times as long
// without an event of a stream while comments or single bytes come, or without
// the whole of a reply that is not streamed.
type timeouts struct {
	idle     time.Duration
	bytes    *time.Timer
	events   *time.Timer
	complete bool // only the end of the stream is missing
}

// newTimeouts starts the timers of an attempt; an idle time below zero is none.
func newTimeouts(host string, idle time.Duration, stream bool, cancel context.CancelCauseFunc) *timeouts {
	after := func(d time.Duration, what string) *time.Timer {
		return time.AfterFunc(d, func() {
			cancel(&Error{
				Message: fmt.Sprintf("the server at %s sent %s for %s", host, what, d), Temporary: true,
				Hint: "check whether the server is overloaded, or increase --idle-timeout",
			})
		})
	}
	if idle < 0 {
		idle = noTimeout
	}
	t := &timeouts{idle: idle, bytes: after(idle, "nothing"), events: after(idle*eventFactor, "no part of a reply")}
	if !stream {
		t.bytes.Stop() // until the first byte: a whole reply comes when it is complete
	}
	return t
}

// Write notes that bytes came.
func (t *timeouts) Write(p []byte) (int, error) {
	if !t.complete {
		t.bytes.Reset(t.idle)
	}
	return len(p), nil
}

// onEvent notes that a part of the reply came. Where the answer is complete with
// it, the stream has a moment left for its end, unless more comes: some servers
// send a reason for the end with each part.
func (t *timeouts) onEvent(complete bool) {
	t.complete = complete
	t.events.Reset(t.idle * eventFactor)
	if t.bytes.Reset(t.idle); complete {
		t.bytes.Reset(trailingTime)
	}
}

func (t *timeouts) stop() {
	t.bytes.Stop()
	t.events.Stop()
}
