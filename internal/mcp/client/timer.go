package client

import (
	"context"
	"fmt"
	"time"
)

// timer limits the time of a request. Progress starts it again, and a login stops it: a
// person takes longer than a server. The limit of the whole run holds all the same.
type timer struct {
	*time.Timer
	limit time.Duration
}

type timerKey struct{}

// withTimer returns a context that ends after a time, unless its timer is extended.
func withTimer(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &timer{limit: limit}
	t.Timer = time.AfterFunc(limit, func() { cancel(fmt.Errorf("timed out after %s", limit)) })
	return context.WithValue(ctx, timerKey{}, t), func() {
		t.Stop()
		cancel(nil)
	}
}

// extend starts the timer of a request again, unless it has fired.
func extend(ctx context.Context) {
	if t, ok := ctx.Value(timerKey{}).(*timer); ok && ctx.Err() == nil {
		t.Reset(t.limit)
	}
}

// Unlimited stops the timer of the request in whose context it is called, until resume is
// called.
func Unlimited(ctx context.Context) (resume func()) {
	if t, ok := ctx.Value(timerKey{}).(*timer); ok {
		t.Stop()
	}
	return func() { extend(ctx) }
}
