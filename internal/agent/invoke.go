package agent

// One call is run: its tool is found, the middlewares are called around it, and its outcome
// is returned at most a grace period after the end of the run.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"skills/internal/params"
)

// invoke runs one call through the middlewares. It returns at most a grace
// period after the end of the run, and never panics.
func (r *run) invoke(ctx context.Context, inv *Invocation) outcome {
	call, now := inv.Call, r.agent.config.Now
	r.prepared.resolve(inv)
	out, err := await(ctx, r.agent.config.Grace, func() (outcome, error) {
		// The tool's own time, without the time for an approval.
		var took time.Duration
		handler := func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			start := now()
			defer func() { took += now().Sub(start) }()
			return perform(ctx, inv)
		}
		result, err := RecoverPanic(func() (ToolResult, error) {
			inv.announce(ctx)
			return wrap(Handler(handler), r.agent.config.Middleware)(ctx, inv)
		})
		// Copied here, because an abandoned call may still write to inv.
		return outcome{result: result, took: took, reason: inv.Stopped, action: inv.current()}, err
	})
	out.waits = waitingOf(err)
	switch {
	case out.waits != nil:
	case errors.Is(err, errNotStarted):
		out.result = skipped("the run was stopped.")
	case errors.Is(err, errAbandoned):
		out.result = ErrorResult(failure(call.Name) + errAbandoned.Error() + ".")
	case err != nil && ctx.Err() != nil:
		out.result = ErrorResult(failure(call.Name) + "the run was stopped.")
	case err != nil:
		out.result = Broken(call.Name, err)
	}
	return out
}

// resolve finds the call's tool and reads its arguments, or sets the fault.
func (p *prepared) resolve(inv *Invocation) { p.resolveAs(inv, inv.Call.Name, inv.Call.Arguments) }

func (p *prepared) resolveAs(inv *Invocation, name, text string) {
	inv.Tool, inv.Fault = p.tool(name), ""
	if inv.Tool == nil {
		inv.Fault = p.unknown(name)
		return
	}
	arguments, fault := params.Object(text)
	if fault != "" {
		inv.Tool, inv.Fault = nil, fault
		return
	}
	inv.Arguments = json.RawMessage(arguments)
}

// Repair makes the call one of the named tool with these arguments; both may be as the
// model made them. Afterwards Tool and Fault say whether it can be run. Only middlewares
// outside of [RequireApproval] may repair a call.
func (inv *Invocation) Repair(name, arguments string) {
	if inv.run != nil {
		inv.run.prepared.resolveAs(inv, name, arguments)
	}
}

// Invalid returns why the call cannot be run as it is: an unknown tool, or arguments that
// are no object or do not fit the tool; "" if it can.
func (inv *Invocation) Invalid(ctx context.Context) string {
	if inv.Tool == nil {
		return inv.Fault
	}
	action, err := inv.Prepare(ctx)
	if bad, ok := action.(invalid); ok && err == nil {
		return bad.fault
	}
	return ""
}

// Allow approves the call as it is now, in the name of a middleware: changed arguments need
// another approval.
func (inv *Invocation) Allow(by string) {
	this := digest(inv.Tool.Name, inv.Arguments)
	inv.allowed, inv.allowedBy = &this, by
}

// Allowed returns who has approved the call as it is now, or "".
func (inv *Invocation) Allowed() string {
	if inv.allowed == nil || inv.Tool == nil || *inv.allowed != digest(inv.Tool.Name, inv.Arguments) {
		return ""
	}
	return inv.allowedBy
}

// errNotStarted is returned for a call that was not run because the run ended
// first.
var errNotStarted = errors.New("the run was stopped before the call")

// perform is the innermost handler.
func perform(ctx context.Context, inv *Invocation) (ToolResult, error) {
	switch {
	case inv.Tool == nil:
		return unreadable(inv.Fault), nil
	case ctx.Err() != nil:
		return ToolResult{}, ctx.Err() // a middleware took until after the end
	case inv.decided != nil && *inv.decided != digest(inv.Tool.Name, inv.Arguments):
		inv.Emit(ToolApproval{ID: inv.Call.ID, Decision: "denied", By: "agent", Reason: changedReason, Tool: inv.Tool.Name, Action: inv.Summary(ctx)})
		return ToolResult{Text: rejected + " " + changedReason, Failed: true}, nil
	}
	if inv.Tool.Ordered {
		if inv.queue.wait(ctx) != nil {
			return ToolResult{}, errNotStarted
		}
		defer inv.queue.pass()
	} else {
		inv.queue.pass()
	}
	action, err := inv.Prepare(ctx)
	if err != nil {
		return ToolResult{}, err
	}
	return action.Run(ctx)
}

func (p *prepared) tool(name string) *Tool {
	for _, tool := range p.tools {
		if tool.Name == name {
			return &tool // a copy, because a middleware may replace it for its call
		}
	}
	return nil
}

// Broken returns the result of a call whose tool returned an error.
func Broken(name string, err error) ToolResult {
	return ErrorResult(failure(name) + err.Error())
}

// failure returns the framework's start of the result of a failed tool.
func failure(name string) string { return fmt.Sprintf("Failed to execute tool '%s': ", name) }

// Grace is the default of [Config.Grace].
const Grace = 5 * time.Second

var (
	errAbandoned = errors.New("it did not end in time and was abandoned")
	errNoResult  = errors.New("it ended without a result")
)

// await calls f, which should return when its context ends; otherwise it is
// abandoned after a grace period, so that a tool or provider cannot block the
// end of a run. A panic is an error.
func await[T any](ctx context.Context, grace time.Duration, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		out := outcome{err: errNoResult} // if f ends its goroutine
		defer func() { done <- out }()
		out.value, out.err = RecoverPanic(f)
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

// RecoverPanic calls f and converts a panic to an error.
func RecoverPanic[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}
