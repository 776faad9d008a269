package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// outcome is a call's result and how long it took.
type outcome struct {
	result ToolResult
	took   time.Duration
}

// answer gives every call of a turn its one result, in the order of the calls,
// whatever happens, and reports whether a middleware ended the run. A
// non-empty skip answers all of them with it instead of running them. An error
// is that of a watcher: the calls after it are not run.
//
// Results are told and kept in the order of the calls also where they run side
// by side, so that equal runs look equal.
func (r *run) answer(ctx context.Context, turn int, calls []ToolCall, skip string) (end bool, err error) {
	invocations := make([]*Invocation, len(calls))
	for i, call := range calls {
		invocations[i] = &Invocation{
			Call: call, Session: r.session, Turn: turn, Index: i, Count: len(calls),
			Streaming: r.agent.config.Stream, Emit: r.agent.emit,
		}
	}
	wait := func(i int) outcome {
		invocations[i].Messages = slices.Clip(r.messages)
		return r.invoke(ctx, invocations[i])
	}
	side := r.agent.config.Parallel && skip == "" && len(calls) > 1 && ctx.Err() == nil
	if side {
		wait = r.startAll(ctx, invocations)
	}
	for i, inv := range invocations {
		var out outcome
		switch {
		case side:
			out = wait(i)
		case skip != "":
			out.result = skipped(skip)
		case err != nil:
			out.result = skipped("the run failed before this call.")
		case ctx.Err() != nil:
			out.result = skipped("the run was stopped.")
		case end:
			out.result = skipped("the run ended before this call.")
		default:
			out = wait(i)
		}
		end = end || inv.End
		if told := r.settle(ctx, inv, out); err == nil {
			err = told
		}
	}
	return end, err
}

// startAll starts every call and returns a function that waits for one.
func (r *run) startAll(ctx context.Context, invocations []*Invocation) func(i int) outcome {
	outcomes := make([]outcome, len(invocations))
	done := make([]chan struct{}, len(invocations))
	for i, inv := range invocations {
		inv.Messages = slices.Clip(r.messages)
		done[i] = make(chan struct{})
		outcomes[i].result = Refuse(failure(inv.Call.Name) + "it ended without a result.")
		go func() {
			defer close(done[i])
			outcomes[i] = r.invoke(ctx, inv)
		}()
	}
	return func(i int) outcome {
		<-done[i]
		return outcomes[i]
	}
}

// settle keeps and tells a call's result.
func (r *run) settle(ctx context.Context, inv *Invocation, out outcome) error {
	result := out.result
	result.Text = validText(result.Text)
	switch {
	case result.Text != "":
	case result.Failed:
		result.Text = "Error: Function failed."
	default:
		// Some servers refuse an empty tool message; the text is the framework's.
		result.Text = "Success: Function completed."
	}
	event := ToolResultEvent{
		ID: inv.Call.ID, Name: inv.Call.Name, OK: !result.Failed, Output: result.Text,
		Truncated: result.Truncated, DurationMS: out.took.Milliseconds(),
	}
	if p := result.Process; p != nil {
		event.ExitCode, event.TimedOut, event.Sandbox = &p.ExitCode, &p.TimedOut, p.Sandbox
	}
	r.agent.emit(event)
	r.result.ToolCalls++
	return r.add(ctx, Message{Role: ToolRole, Source: FromTool, Text: result.Text, CallID: inv.Call.ID, Name: inv.Call.Name})
}

// invoke runs one call through the middlewares. It never panics.
func (r *run) invoke(ctx context.Context, inv *Invocation) outcome {
	inv.Tool = r.tool(inv.Call.Name)
	if inv.Tool == nil {
		return outcome{result: r.unknown(inv.Call.Name)}
	}
	arguments, fault := object(inv.Call.Arguments)
	if fault != "" {
		return outcome{result: Refuse(fault)}
	}
	inv.Arguments = json.RawMessage(arguments)
	// The tool's own time: a person may think about an approval for long.
	var took time.Duration
	handler := func(ctx context.Context, inv *Invocation) (ToolResult, error) {
		start := r.agent.config.Now()
		defer func() { took += r.agent.config.Now().Sub(start) }()
		return inv.Tool.Call(ctx, inv)
	}
	for _, middleware := range slices.Backward(r.agent.config.Middleware) {
		handler = middleware(handler)
	}
	result, err := guard(func() (ToolResult, error) { return handler(ctx, inv) })
	out := outcome{result: result, took: took}
	switch {
	case err != nil && ctx.Err() != nil:
		out.result = Refuse(failure(inv.Call.Name) + "the run was stopped.")
	case err != nil:
		out.result = Refuse(failure(inv.Call.Name) + err.Error())
	}
	return out
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
