package agent

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

// send gets a reply to a request and sends it again where that makes sense.
// The client library could retry too, but tells nobody.
//
// A stream that breaks off is asked for again from its start. If some of its
// text was passed on already, a warning and the retry's event say that this
// text does not count; the new reply's text is passed on whole. Nothing was
// done because of the broken reply: calls are run only when a reply is
// complete. asked is the event that told of the request; one that is sent again
// in another form is told anew.
func (a *Agent) send(ctx context.Context, r Request, tails int, asked RequestEvent) (reply, error) {
	shown := false
	var delta func(string)
	if a.config.Stream {
		delta = func(text string) {
			shown = true
			a.emit(MessageDelta{Text: text})
		}
	}
	for attempt := 1; ; attempt++ {
		rep, err := a.client.once(ctx, r, tails, delta)
		var failure *Error
		if err == nil || !errors.As(err, &failure) {
			return rep, err
		}
		retry := RetryEvent{Attempt: attempt, Status: failure.Status, Error: failure.Message}
		if failure.plain || failure.unstreamed {
			if failure.unstreamed {
				a.warn("the server refuses to stream, so its replies are taken whole from now on")
			}
			a.emit(retry)
			attempt-- // the same attempt, in the form that this server takes
			asked.Stream, asked.Usage = a.client.form()
			a.emit(asked)
			continue
		}
		if !failure.Temporary || attempt > a.config.Server.Retries {
			return reply{}, failure
		}
		wait := backOff(attempt, a.config.Jitter())
		if failure.RetryAfter > 0 {
			wait = failure.RetryAfter
		}
		if at, limited := ctx.Deadline(); limited && wait > time.Until(at) {
			failure.Hint = "the run has no time left to ask again; --timeout gives it longer"
			if failure.RetryAfter > 0 {
				failure.Hint = "the server asks to wait " + wait.Round(time.Second).String() + ", longer than the run may still take"
			}
			return reply{}, failure
		}
		retry.Void, shown = shown, false
		retry.DelayMS = wait.Milliseconds()
		a.emit(retry)
		if err := a.config.Wait(ctx, wait); err != nil {
			if ctx.Err() != nil {
				return reply{}, ended(ctx)
			}
			return reply{}, err
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
