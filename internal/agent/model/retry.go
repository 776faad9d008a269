package model

import (
	"context"
	"errors"
	"time"
)

// Waits between attempts where the server names none.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// Retry says that a request is going to be sent again.
type Retry struct {
	Attempt int    `json:"attempt"` // the attempt that failed, from 1
	DelayMS int64  `json:"delay_ms"`
	Status  int    `json:"status,omitempty"` // HTTP status, absent where there was none
	Error   string `json:"error"`
	// Void says that the deltas since the last whole message belong to the
	// attempt that failed and do not count.
	Void bool `json:"void,omitempty"`
}

// Observer receives what happens before a reply is complete. Nil functions are
// not called.
type Observer struct {
	// OnSend comes before a request is sent, and again when its form changes
	// because the server refused it: stream says whether a stream is asked for,
	// usage whether its usage is.
	OnSend  func(stream, usage bool)
	OnDelta func(text string) // a piece of a streamed text
	OnRetry func(Retry)
	OnWarn  func(message string)
}

// Complete sends a request and returns the reply. A stream that breaks off is
// asked for again from its start, and the retry says that text which was passed
// on does not count: nothing was done because of it, for calls are run only when
// a reply is complete.
//
// The error is an *Error, a [Final] one, or any where ctx is done.
func (c *Client) Complete(ctx context.Context, r Request, o Observer) (Reply, error) {
	shown := false
	delta := func(text string) {
		shown = true
		if o.OnDelta != nil && c.options.Stream {
			o.OnDelta(text)
		}
	}
	retry := func(r Retry) {
		if o.OnRetry != nil {
			o.OnRetry(r)
		}
	}
	changed := true
	for attempt := 1; ; attempt++ {
		if changed && o.OnSend != nil {
			o.OnSend(c.form())
		}
		reply, err := c.once(ctx, r, delta)
		var failure *Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &failure) {
			return reply, err
		}
		event := Retry{Attempt: attempt, Status: failure.Status, Error: failure.Message}
		if changed = failure.withoutUsage || failure.withoutStream; changed {
			if failure.withoutStream && o.OnWarn != nil {
				o.OnWarn("the server refuses to stream; from now on its replies are requested whole")
			}
			retry(event)
			attempt-- // the same attempt, in the form that this server takes
			continue
		}
		if !failure.Temporary || attempt > c.options.Retries {
			return Reply{}, failure
		}
		wait := backOff(attempt, c.options.Jitter())
		if failure.RetryAfter > 0 {
			wait = failure.RetryAfter
		}
		if at, limited := ctx.Deadline(); limited && wait > time.Until(at) {
			failure.Hint = "the run has no time left for another attempt; increase it with --timeout"
			if failure.RetryAfter > 0 {
				failure.Hint = "the server asks to wait " + wait.Round(time.Second).String() + ", longer than the run may still take"
			}
			return Reply{}, failure
		}
		event.Void, shown = shown, false
		event.DelayMS = wait.Milliseconds()
		retry(event)
		if err := c.options.Wait(ctx, wait); err != nil {
			return Reply{}, err
		}
	}
}

// backOff returns the wait after an attempt: half a second, doubled each time,
// eight seconds at most. jitter, from 0 to 1, takes up to a quarter off, so
// that runs that failed together do not come back together.
func backOff(attempt int, jitter float64) time.Duration {
	wait := firstWait
	for i := 1; i < attempt && wait < longestWait; i++ {
		wait *= 2
	}
	wait = min(wait, longestWait)
	return wait - time.Duration(jitter*float64(wait)/4)
}

// sleep waits on the real clock.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
