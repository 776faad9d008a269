package model

// A request is sent again if a failure may be temporary, after a pause that grows or that
// the server asks for. An attempt is cancelled if the server sends nothing, or nothing of
// use, for too long.

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
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
	// Change is how the request is changed, because the server refused its form; "" if it
	// is sent again unchanged.
	Change string `json:"change,omitempty"`
	// Void is true if the deltas since the last complete message belong to the
	// failed attempt and must be discarded.
	Void bool `json:"void,omitempty"`
}

// Observer receives events before a reply is complete.
type Observer struct {
	// OnSend is called before a request is sent, and again when its form changes
	// after an error. api is "responses", or "" for chat completions; stream
	// reports whether a stream is requested, usage whether its usage is.
	OnSend  func(api string, stream, usage bool)
	OnRetry func(Retry)          // before a request is sent again
	OnWarn  func(message string) // a problem that does not stop the run

	// OnDelta receives the pieces of a streamed text; may be nil. OnProgress is called
	// with the estimated tokens of what was received of a reply, reasoning and calls
	// included; may be nil.
	OnDelta    func(text string)
	OnProgress func(tokens int64)
	// OnReasoning receives what the model thought before the next piece of its text, or
	// before a complete reply without more text; may be nil. void means that it was
	// passed on as pieces of the text, because only its end showed what it is.
	OnReasoning func(text string, void bool)
	// OnLoading is called once if the server is loading the model, which is waited for;
	// may be nil.
	OnLoading func(message string)
}

// Complete sends a request and returns the reply. After a broken stream the
// request is repeated from the start, and the retry marks the text received so
// far as void: nothing was done with it, because calls are run only when a
// reply is complete.
//
// The error is an *Error or a [Final] one; if ctx is done, it may be any.
func (c *Client) Complete(ctx context.Context, r Request, o Observer) (Reply, error) {
	shown, looped, load := false, false, loadWait{}
	attempted := o
	if o.OnDelta != nil {
		attempted.OnDelta = func(text string) {
			shown = true
			o.OnDelta(text)
		}
	}
	adapted := c.announced(r, o)
	for attempt := 1; ; attempt++ {
		reply, err := c.once(ctx, r, adapted, attempted)
		if err == nil {
			c.adapted.Or(uint64(adapted))
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok || ctx.Err() != nil {
			return reply, err
		}
		event := Retry{Attempt: attempt, Status: failure.Status, Error: failure.Message, Void: shown}
		shown = false
		row, isQuirk := c.next(r, failure, adapted)
		switch {
		case failure.loading:
			if err := load.next(ctx, c, failure, o); err != nil {
				return Reply{}, err
			}
			attempt--
			continue
		case isQuirk:
			adapted |= 1 << row
			if warning := quirks[row].warn; warning != "" {
				o.OnWarn(warning)
			}
			event.Change = quirks[row].change
			o.OnRetry(event)
			c.announce(r, adapted, o)
			attempt-- // repeats the attempt in a form that this server accepts
			continue
		case failure.endless && !looped:
			looped = true
			o.OnWarn(failure.Message + "; requesting it once more")
			o.OnRetry(event)
			attempt--
			continue
		case !failure.Temporary || attempt > c.options.Retries:
			failure.Request = c.shape(r, adapted, failure)
			return Reply{}, failure
		}
		wait, err := pause(ctx, failure, attempt)
		if err != nil {
			return Reply{}, err
		}
		event.DelayMS = wait.Milliseconds()
		o.OnRetry(event)
		if err := c.options.Wait(ctx, wait); err != nil {
			return Reply{}, err
		}
	}
}

// announced calls OnSend, and returns the adaptations of the request.
func (c *Client) announced(r Request, o Observer) adaptations {
	adapted := adaptations(c.adapted.Load())
	c.announce(r, adapted, o)
	return adapted
}

// announce calls OnSend.
func (c *Client) announce(r Request, adapted adaptations, o Observer) {
	_, e := adapted.apply(r, c.envelope())
	api := ""
	if e.api == ResponsesAPI {
		api = e.api
	}
	o.OnSend(api, e.stream, e.usage)
}

// pause returns the time before the next attempt, or the failure if the run has no time
// left for one.
func pause(ctx context.Context, failure *Error, attempt int) (time.Duration, error) {
	wait := failure.RetryAfter
	if wait == 0 {
		wait = min(firstWait<<min(attempt-1, 10), longestWait)
	}
	if at, limited := ctx.Deadline(); limited && wait > time.Until(at) {
		failure.Hint = "the run has no time left for another attempt; increase it with --timeout"
		if failure.RetryAfter > 0 {
			failure.Hint = "increase --timeout: the server's Retry-After is " + wait.Round(time.Second).String() + ", longer than the time left"
		}
		return 0, failure
	}
	return wait, nil
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
//
// By default a reply may take longer to begin than to continue: a server may load a
// model, read a long prompt, or ignore that a stream was requested.
type timeouts struct {
	idle     time.Duration // after the first byte
	bytes    *time.Timer
	events   *time.Timer
	begun    atomic.Bool // whether any byte was received
	complete bool        // only the end of the stream is missing
}

// newTimeouts starts the timers of an attempt. An idle timeout of 0 disables them.
func newTimeouts(host string, idle time.Duration, stream bool, cancel context.CancelCauseFunc) *timeouts {
	t := &timeouts{idle: idle}
	first := idle
	switch {
	case idle == 0:
		t.idle, first = noTimeout, noTimeout
	case idle < 0 && stream:
		t.idle, first = 2*time.Minute, 5*time.Minute
	case idle < 0:
		t.idle, first = 5*time.Minute, 5*time.Minute
	}
	end := func(what string, d time.Duration) {
		cancel(&Error{
			Message: fmt.Sprintf("the server at %s sent %s for %s", host, what, d), Temporary: true,
			Hint: "check whether the server is overloaded, or increase --idle-timeout",
		})
	}
	t.bytes = time.AfterFunc(first, func() {
		if t.begun.Load() {
			end("nothing", t.idle)
		} else {
			end("nothing", first)
		}
	})
	t.events = time.AfterFunc(t.idle*eventFactor, func() { end("no part of a reply", t.idle*eventFactor) })
	return t
}

// Write records that bytes were received.
func (t *timeouts) Write(p []byte) (int, error) {
	t.begun.Store(true)
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
