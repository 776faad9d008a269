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
	if p == nil {
		return err // it panicked before anybody was asked
	}
	told := &Invoked{Session: r.session, Request: p.input, Err: err}
	if kept := len(p.history) + len(p.input); kept < len(r.messages) {
		told.Response = r.messages[kept:]
	}
	for _, provider := range slices.Backward(p.asked) {
		copied := *told
		copied.Request, copied.Response = slices.Clone(told.Request), slices.Clone(told.Response)
		failure := r.inform(ctx, provider, func(ctx context.Context) error { return provider.Invoked(ctx, &copied) })
		if failure == nil {
			continue
		}
		failure = fmt.Errorf("telling context provider %s of the end: %w", provider.Name(), failure)
		if err == nil {
			err = failure
		} else {
			r.warn("%v", failure)
		}
	}
	return err
}

// status says how a run ended that returns err. What failed by itself failed,
// also where the run's time was up by then.
func status(ctx context.Context, err error) Status {
	is := func(end error) bool {
		return errors.Is(ctx.Err(), end) && (errors.Is(err, end) || errors.Is(err, context.Cause(ctx)))
	}
	switch {
	case err == nil:
		return Completed
	case is(context.Canceled):
		return Interrupted
	case limitOf(err) != nil, is(context.DeadlineExceeded):
		return LimitHit
	}
	return Failed
}

// reached is the name of the limit that ended a run with err.
func reached(s Status, err error) string {
	if s != LimitHit {
		return ""
	}
	if limit := limitOf(err); limit != nil {
		return limit.Limit
	}
	return LimitTime
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
