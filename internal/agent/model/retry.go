package model

// A request is sent again if a failure may be temporary, after a pause that grows or that
// the server asks for. An attempt is cancelled if the server sends nothing, or nothing of
// use, for too long.

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Delays between attempts if the server requests none.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// Retry describes a request that is about to be sent again.
type Retry struct {
	Attempt int    `json:"attempt"` // the failed attempt, from 1
	DelayMS int64  `json:"delay_ms"`
	Status  int    `json:"status,omitempty"` // HTTP status, if there was a response
	Error   string `json:"error"`
	// Void is true if the deltas since the last complete message belong to the
	// failed attempt and must be discarded.
	Void bool `json:"void,omitempty"`
}

// Observer receives events before a reply is complete.
type Observer struct {
	// OnSend is called before a request is sent, and again when its form changes
	// after an error. stream reports whether a stream is requested, usage
	// whether its usage is.
	OnSend  func(stream, usage bool)
	OnDelta func(text string)    // a piece of a streamed text
	OnRetry func(Retry)          // before a request is sent again
	OnWarn  func(message string) // a problem that does not stop the run
}

// Complete sends a request and returns the reply. After a broken stream the
// request is repeated from the start, and the retry marks the text received so
// far as void: nothing was done with it, because calls are run only when a
// reply is complete.
//
// The error is an *Error or a [Final] one; if ctx is done, it may be any.
func (c *Client) Complete(ctx context.Context, r Request, o Observer) (Reply, error) {
	shown := false
	delta := func(text string) {
		if c.options.Stream {
			shown = true
			o.OnDelta(text)
		}
	}
	stream, usage := c.form()
	o.OnSend(stream, usage)
	for attempt := 1; ; attempt++ {
		reply, err := c.once(ctx, r, stream, usage, delta)
		failure, ok := errors.AsType[*Error](err)
		if !ok || ctx.Err() != nil {
			return reply, err
		}
		event := Retry{Attempt: attempt, Status: failure.Status, Error: failure.Message}
		if c.adapt(failure, stream, usage) {
			stream, usage = c.form()
			if !stream {
				o.OnWarn("the server does not support streaming; requesting complete replies")
			}
			o.OnRetry(event)
			o.OnSend(stream, usage)
			attempt-- // repeats the attempt in a form that this server accepts
			continue
		}
		if !failure.Temporary || attempt > c.options.Retries {
			return Reply{}, failure
		}
		wait := failure.RetryAfter
		if wait == 0 {
			wait = min(firstWait<<min(attempt-1, 10), longestWait)
		}
		if at, limited := ctx.Deadline(); limited && wait > time.Until(at) {
			failure.Hint = "the run has no time left for another attempt; increase it with --timeout"
			if failure.RetryAfter > 0 {
				failure.Hint = "increase --timeout: the server's Retry-After is " + wait.Round(time.Second).String() + ", longer than the time left"
			}
			return Reply{}, failure
		}
		event.Void, shown = shown, false
		event.DelayMS = wait.Milliseconds()
		o.OnRetry(event)
		if err := c.options.Wait(ctx, wait); err != nil {
			return Reply{}, err
		}
	}
}

const (
	// eventFactor is how many idle timeouts a complete event, or a reply that is
	// not streamed, may take while bytes arrive.
	eventFactor = 5
	// trailingTime is how long a stream is read after its answer is complete.
	trailingTime = 2 * time.Second
	// noTimeout is the idle timeout of a client without one.
	noTimeout = 10 * 365 * 24 * time.Hour
)

// timeouts cancels an attempt without progress, with an *Error as the cause:
// after the idle timeout without a byte, and after five times as long if there are
// only comments or single bytes, but no event of a stream and no complete reply.
type timeouts struct {
	idle     time.Duration
	bytes    *time.Timer
	events   *time.Timer
	complete bool // only the end of the stream is missing
}

// newTimeouts starts the timers of an attempt. An idle timeout of 0 disables them.
func newTimeouts(host string, idle time.Duration, stream bool, cancel context.CancelCauseFunc) *timeouts {
	after := func(d time.Duration, what string) *time.Timer {
		return time.AfterFunc(d, func() {
			cancel(&Error{
				Message: fmt.Sprintf("the server at %s sent %s for %s", host, what, d), Temporary: true,
				Hint: "check whether the server is overloaded, or increase --idle-timeout",
			})
		})
	}
	switch {
	case idle == 0:
		idle = noTimeout
	case idle < 0 && stream:
		idle = 2 * time.Minute
	case idle < 0:
		idle = 5 * time.Minute
	}
	return &timeouts{idle: idle, bytes: after(idle, "nothing"), events: after(idle*eventFactor, "no part of a reply")}
}

// Write records that bytes were received.
func (t *timeouts) Write(p []byte) (int, error) {
	if !t.complete {
		t.bytes.Reset(t.idle)
	}
	return len(p), nil
}

// onEvent records that a part of the reply was received. If the answer is then
// complete, the stream must end soon unless it continues: some servers send a
// finish reason with each part.
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
