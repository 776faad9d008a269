package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// What one turn may ask for at most: a server that calls without end must not
// start as many programs.
const (
	maxTurnCalls = 128 // calls that are run
	maxSide      = 8   // of them side by side
)

// outcome is what came of a call.
type outcome struct {
	result ToolResult
	took   time.Duration
	end    bool // whether a middleware ended the run, and why
	reason error
}

// answered is what came of all calls of a turn.
type answered struct {
	end    bool
	reason error
	by     string // the call that ended the run

	broken, fine int    // calls whose tool failed, calls that were run
	last         string // what the last broken one was told
}

// answer gives every call of a turn its one result, in the order of the calls,
// whatever happens. A non-empty skip answers all of them with it instead of
// running them. An error is that of a watcher: the calls after it are not run.
//
// Results are told and kept in the order of the calls also where they run side
// by side, so that equal runs look equal.
func (r *run) answer(ctx context.Context, turn int, calls []ToolCall, skip string) (done answered, err error) {
	before := r.result.ToolCalls
	invocations := make([]*Invocation, min(len(calls), maxTurnCalls))
	for i := range invocations {
		invocations[i] = &Invocation{
			Call: calls[i], Session: r.session, Turn: turn, Index: i, Count: len(calls),
			Streaming: r.agent.config.Stream, Emit: r.emit,
			run: r, number: before + i, settled: before,
		}
	}
	wait := func(i int) outcome {
		invocations[i].Messages, invocations[i].settled = slices.Clip(r.messages), r.result.ToolCalls
		return r.invoke(ctx, invocations[i])
	}
	side := r.agent.config.Parallel && skip == "" && len(calls) > 1 && ctx.Err() == nil
	if side {
		wait = r.startAll(ctx, invocations)
	}
	for i, call := range calls {
		var out outcome
		switch {
		case i >= maxTurnCalls:
			out.result = skipped(fmt.Sprintf("at most %d calls of one turn are run.", maxTurnCalls))
		case side:
			out = wait(i)
		case skip != "":
			out.result = skipped(skip)
		case err != nil:
			out.result = skipped("the run failed before this call.")
		case ctx.Err() != nil:
			out.result = skipped("the run was stopped.")
		case done.end:
			out.result = skipped("the run ended before this call.")
		default:
			out = wait(i)
		}
		if out.end && !done.end {
			done.end, done.reason, done.by = true, out.reason, call.Name
		}
		done.count(out.result)
		if told := r.settle(ctx, call, out); err == nil {
			err = told
		}
	}
	return done, err
}

// count counts a result among those that say whether the turn failed. A denied
// or skipped call and one of an unknown tool say neither.
func (d *answered) count(result ToolResult) {
	switch {
	case result.Broken:
		d.broken++
		d.last = result.Text
	case !result.Failed, result.Process != nil:
		d.fine++
	}
}

// startAll starts every call, so many at a time, and returns a function that
// waits for one.
func (r *run) startAll(ctx context.Context, invocations []*Invocation) func(i int) outcome {
	outcomes := make([]outcome, len(invocations))
	done := make([]chan struct{}, len(invocations))
	for i, inv := range invocations {
		inv.Messages = slices.Clip(r.messages)
		done[i] = make(chan struct{})
	}
	var next sync.Mutex
	started := 0
	take := func() int {
		next.Lock()
		defer next.Unlock()
		started++
		return started - 1
	}
	for range min(maxSide, len(invocations)) {
		go func() {
			for i := take(); i < len(invocations); i = take() {
				if ctx.Err() != nil {
					outcomes[i].result = skipped("the run was stopped.")
				} else {
					outcomes[i] = r.invoke(ctx, invocations[i])
				}
				close(done[i])
			}
		}()
	}
	return func(i int) outcome {
		<-done[i]
		return outcomes[i]
	}
}

// settle keeps and tells a call's result, under the call as the model made it.
func (r *run) settle(ctx context.Context, call ToolCall, out outcome) error {
	result := out.result
	text, cut := cutMiddle(result.Text, maxResult)
	result.Text, result.Truncated = validText(text), result.Truncated || cut
	switch {
	case result.Text != "":
	case result.Failed:
		result.Text = "Error: Function failed."
	default:
		// Some servers refuse an empty tool message; the text is the framework's.
		result.Text = "Success: Function completed."
	}
	event := ToolResultEvent{
		ID: call.ID, Name: call.Name, OK: !result.Failed, Output: result.Text,
		Truncated: result.Truncated, DurationMS: out.took.Milliseconds(),
	}
	if p := result.Process; p != nil {
		event.ExitCode, event.TimedOut, event.Sandbox = &p.ExitCode, &p.TimedOut, p.Sandbox
	}
	r.emit(event)
	r.result.ToolCalls++
	return r.add(ctx, Message{Role: ToolRole, Source: FromTool, Text: result.Text, CallID: call.ID, Name: call.Name})
}

// invoke runs one call through the middlewares. It ends, at the latest, a
// grace after the run does, and never panics.
func (r *run) invoke(ctx context.Context, inv *Invocation) outcome {
	call, now := inv.Call, r.agent.config.Now
	broken := r.resolve(inv)
	out, err := await(ctx, r.agent.config.Grace, func() (outcome, error) {
		// The tool's own time: a person may think about an approval for long.
		var took time.Duration
		handler := func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			start := now()
			defer func() { took += now().Sub(start) }()
			return perform(ctx, inv, broken)
		}
		for _, middleware := range slices.Backward(r.agent.config.Middleware) {
			handler = middleware(handler)
		}
		result, err := guard(func() (ToolResult, error) { return handler(ctx, inv) })
		// Read here: what was given up may still write to it.
		return outcome{result, took, inv.End, inv.reason}, err
	})
	switch {
	case errors.Is(err, errAbandoned):
		out.result = Refuse(failure(call.Name) + errAbandoned.Error() + ".")
	case err != nil && ctx.Err() != nil:
		out.result = Refuse(failure(call.Name) + "the run was stopped.")
	case err != nil:
		out.result = Refuse(failure(call.Name) + err.Error())
		out.result.Broken = true
	}
	return out
}

// resolve finds the call's tool and reads its arguments, or notes why that
// cannot be, and reports whether it is a failure of the call itself.
func (r *run) resolve(inv *Invocation) (broken bool) {
	tool := r.tool(inv.Call.Name)
	if tool == nil {
		inv.Fault = r.unknown(inv.Call.Name)
		return false
	}
	arguments, fault := object(inv.Call.Arguments)
	if fault != "" {
		inv.Fault = fault
		return true
	}
	inv.Tool, inv.Arguments = tool, json.RawMessage(arguments)
	return false
}

// perform is the innermost handler.
func perform(ctx context.Context, inv *Invocation, broken bool) (ToolResult, error) {
	switch {
	case inv.Tool == nil:
		if broken {
			return unreadable(inv.Fault), nil
		}
		return Refuse(inv.Fault), nil
	case ctx.Err() != nil:
		return ToolResult{}, ctx.Err() // a middleware took until after the end
	case inv.decided != nil && *inv.decided != digest(inv.Tool.Name, inv.Arguments):
		inv.Emit(ToolApproval{ID: inv.Call.ID, Decision: "denied", By: "agent", Reason: changedReason})
		return ToolResult{Text: rejected + " " + changedReason, Failed: true}, nil
	}
	return inv.Tool.Call(ctx, inv)
}

// tool returns the tool of that name, or nil.
func (r *run) tool(name string) *Tool {
	for i := range r.prepared.tools {
		if tool := r.prepared.tools[i]; tool.Name == name {
			return &tool // a copy: a middleware may exchange it for its call
		}
	}
	return nil
}

func skipped(why string) ToolResult {
	return ToolResult{Text: "Skipped: " + why, Failed: true}
}

// failure is the framework's beginning of what a failed tool tells.
func failure(name string) string { return fmt.Sprintf("Failed to execute tool '%s': ", name) }
