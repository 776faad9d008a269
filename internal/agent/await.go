package agent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Grace is the default of [Config.Grace].
const Grace = 5 * time.Second

var (
	errAbandoned = errors.New("it did not end in time and was abandoned")
	errGone      = errors.New("it ended without a result")
)

// await calls f, which ought to end with its context. If it does not, it is
// abandoned a grace later: a run ends whatever its tools and providers do. A
// panic is an error.
func await[T any](ctx context.Context, grace time.Duration, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		out := outcome{err: errGone} // where f ends its goroutine
		defer func() { done <- out }()
		out.value, out.err = guard(f)
	}()
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
