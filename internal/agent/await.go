package agent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Grace is how long the agent waits, after a run's end, for what it has called
// to end as well; see Config.Grace.
const Grace = 5 * time.Second

var (
	errAbandoned = errors.New("it did not end in time and was given up")
	errGone      = errors.New("it ended without a result")
)

// await calls f on h, which ought to end with its context. What does not is given
// up a grace later: a run ends whatever its tools and providers do. A panic is
// an error.
func await[T any](ctx context.Context, h *hands, grace time.Duration, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	h.start(func() {
		out := outcome{err: errGone} // where f ends its goroutine
		defer func() { done <- out }()
		out.value, out.err = guard(f)
	})
	select {
	case out := <-done:
		return out.value, out.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case out := <-done:
		return out.value, out.err
	case <-timer.C:
		return outcome{}.value, fmt.Errorf("%w (%w)", errAbandoned, ended(ctx))
	}
}

// guard calls f and turns a panic into an error.
func guard[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}
