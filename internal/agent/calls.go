package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// maxTurnCalls is how many calls of one turn are run: a server that calls
// without end must not start as many programs.
const maxTurnCalls = 128

// outcome is what came of a call.
type outcome struct {
	result ToolResult
	took   time.Duration
	end    bool // whether a middleware ended the run, and why
	reason error

	saved  map[string]json.RawMessage // where calls run side by side: the states as this one has changed them, nil where it has not
	stored bool                       // whether the watchers have been told of the result, which is whole then,
	err    error                      // and what one of them said
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
// Results are told in the order of the calls also where they run side by side,
// so that equal runs look equal; what watchers store, they are told of at once.
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

// settle keeps and tells a call's result, under the call as the model made it.
func (r *run) settle(ctx context.Context, call ToolCall, out outcome) error {
	result := out.result
	r.open = slices.DeleteFunc(r.open, func(c ToolCall) bool { return c.ID == call.ID })
	if !out.stored {
		result = whole(result)
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
	message := answerTo(call, result)
	if out.stored {
		r.messages = append(r.messages, message)
		return out.err
	}
	return r.add(ctx, message)
}

// settleOpen answers the calls that an error left without a result. What keeps
// the results may have failed by now, which the run's error says already.
func (r *run) settleOpen(ctx context.Context) {
	for _, call := range slices.Clone(r.open) {
		_ = r.settle(ctx, call, outcome{result: skipped("the run failed before this call.")})
	}
}

// answerTo is the message with a whole result.
func answerTo(call ToolCall, result ToolResult) Message {
	return Message{Role: ToolRole, Source: FromTool, Text: result.Text, CallID: call.ID, Name: call.Name}
}

// whole bounds what a tool has to say, and has each say something.
func whole(result ToolResult) ToolResult {
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
	return result
}

func skipped(why string) ToolResult {
	return ToolResult{Text: "Skipped: " + why, Failed: true}
}
