package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// finish tells the providers of the run's end, in reverse order, and returns
// the run's error. A provider's own error makes a run fail that had an answer;
// where there is an error already, it is a warning.
func (r *run) finish(ctx context.Context, err error) error {
	p := r.prepared
	// The run's context may be the very reason for its end, and a provider
	// that stores something must still be able to.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	told := &Invoked{Session: r.session, Request: p.input, Err: err}
	if kept := len(p.history) + len(p.input); kept < len(r.messages) {
		told.Response = r.messages[kept:]
	}
	for _, provider := range slices.Backward(p.asked) {
		_, failure := guard(func() (struct{}, error) {
			copied := *told
			copied.Request, copied.Response = slices.Clone(told.Request), slices.Clone(told.Response)
			return struct{}{}, provider.Invoked(ctx, &copied)
		})
		if failure == nil {
			continue
		}
		failure = fmt.Errorf("telling context provider %s of the end: %w", provider.Name(), failure)
		if err == nil {
			err = failure
		} else {
			r.agent.warn("%v", failure)
		}
	}
	return err
}

// status says how a run ended that returns err.
func status(ctx context.Context, err error) Status {
	switch {
	case err == nil:
		return Completed
	case errors.Is(err, ErrTurns), errors.Is(err, ErrTokens):
		if errors.Is(ctx.Err(), context.Canceled) {
			return Interrupted
		}
		return LimitHit
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return LimitHit
	case ctx.Err() != nil:
		return Interrupted
	}
	return Failed
}

// ended is the error of a run whose context is done: the context's error, with
// its cause where that says more.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// spent is the number of tokens that the server counted so far.
func (r *run) spent() int64 {
	if r.result.Usage == nil {
		return 0
	}
	return r.result.Usage.InputTokens + r.result.Usage.OutputTokens
}

func (r *run) overTokens() error {
	return fmt.Errorf("%w (%d of %d)", ErrTokens, r.spent(), r.agent.config.Limits.Tokens)
}

// because explains a finish reason in a few words, "" where it says nothing.
func because(finish string) string {
	switch finish {
	case "length":
		return ": the server's limit on its length was reached"
	case "content_filter":
		return ": the server's content filter stopped it"
	}
	return ""
}
