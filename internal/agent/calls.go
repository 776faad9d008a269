package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"skills/internal/agent/model"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// maxTurnCalls limits the calls that are run in one turn.
const maxTurnCalls = 128

type outcome struct {
	result ToolResult
	took   time.Duration
	reason error // why a middleware stopped the run, or nil
}

// executed is the outcome of all calls of a turn.
type executed struct {
	reason error  // why a middleware stopped the run
	by     string // the call that stopped it

	broken, fine int    // number of calls whose tool failed, and of others that were run
	last         string // result of the last broken call
}

// executeCalls returns one result for every call of a turn, in order; if skip
// is not empty, it is the result of all. An error is that of an observer: later
// calls are not run.
func (r *run) executeCalls(ctx context.Context, turn int, calls []ToolCall, skip string) (done executed, err error) {
	before := r.result.ToolCalls
	invocations := make([]*Invocation, min(len(calls), maxTurnCalls))
	for i := range invocations {
		invocations[i] = &Invocation{
			Call: calls[i], Agent: r.agent, Session: r.session, Turn: turn, Index: i, Count: len(calls),
			Model: r.agent.config.Model, Params: r.agent.config.Params, Streaming: r.agent.config.Stream,
			Emit: r.emit, run: r, number: before + i, settled: before,
		}
	}
	var parallel *parallelCalls
	if r.agent.config.Parallel && skip == "" && len(calls) > 1 && ctx.Err() == nil {
		parallel = r.startParallel(ctx, invocations)
	}
	for i, call := range calls {
		var out outcome
		switch {
		case i >= maxTurnCalls:
			out.result = skipped(fmt.Sprintf("at most %d calls of one turn are run.", maxTurnCalls))
		case parallel != nil:
			out = parallel.wait(i)
		case skip != "":
			out.result = skipped(skip)
		case err != nil:
			out.result = skipped("the run failed before this call.")
		case ctx.Err() != nil:
			out.result = skipped("the run was stopped.")
		case done.reason != nil:
			out.result = skipped("the run ended before this call.")
		default:
			invocations[i].Messages, invocations[i].settled = slices.Clip(r.sent), r.result.ToolCalls
			out = r.invoke(ctx, invocations[i])
		}
		if done.reason == nil {
			done.reason, done.by = out.reason, call.Name
		}
		done.count(out.result)
		if failure := r.settle(ctx, call, out); err == nil {
			err = failure
		}
		if parallel != nil && i < maxTurnCalls {
			parallel.settled(err)
		}
	}
	return done, err
}

// count counts a result that determines whether the turn failed. Denied and
// skipped calls and those of unknown tools do not count.
func (d *executed) count(result ToolResult) {
	switch {
	case result.Broken:
		d.broken++
		d.last = result.Text
	case !result.Failed, result.Process != nil:
		d.fine++
	}
}

// settle stores and reports a call's result, under the call as made by the
// model.
func (r *run) settle(ctx context.Context, call ToolCall, out outcome) error {
	result := out.result.bounded()
	r.open = slices.DeleteFunc(r.open, func(c ToolCall) bool { return c.ID == call.ID })
	event := ToolResultEvent{
		ID: call.ID, Name: call.Name, OK: !result.Failed, Output: result.Text,
		Truncated: result.Truncated, DurationMS: out.took.Milliseconds(), Process: result.Process, Summary: result.Summary,
	}
	r.emit(event)
	r.result.ToolCalls++
	return r.add(ctx, Message{Role: ToolRole, Source: FromTool, Text: result.Text, CallID: call.ID, Name: call.Name})
}

// maxResult is how many characters of a result are kept, and sent with every
// request.
const maxResult = 256 << 10

// bounded returns a result whose text is neither empty nor too long.
func (result ToolResult) bounded() ToolResult {
	valid := model.ValidText(result.Text)
	text := printable.TruncateMiddle(valid, maxResult)
	result.Truncated = result.Truncated || len(text) != len(valid)
	switch result.Text = text; {
	case text != "":
	case result.Failed:
		result.Text = "Error: Function failed."
	default:
		// Some servers reject an empty tool message; the text is the framework's.
		result.Text = "Success: Function completed."
	}
	return result
}

func skipped(why string) ToolResult {
	return ToolResult{Text: "Skipped: " + why, Failed: true}
}

type callIDs map[string]bool

// fix gives every call a unique id, because some servers omit ids or repeat
// them. Generated ids are nine letters and digits, which the strictest servers
// require.
func (ids callIDs) fix(calls []ToolCall) {
	n := len(ids)
	for i := range calls {
		id := model.ValidText(calls[i].ID)
		for id == "" || ids[id] {
			n++
			id = fmt.Sprintf("call%05d", n)
		}
		ids[id] = true
		calls[i].ID = id
	}
}

func (r *run) unknown(name string) string {
	text := fmt.Sprintf("Requested function %q not found.", name)
	names := make([]string, len(r.prepared.tools))
	for i, tool := range r.prepared.tools {
		names[i] = tool.Name
	}
	if len(names) == 0 {
		return text + " There are no functions."
	}
	text += " Available: " + strings.Join(names, ", ") + "."
	if meant := suggest.Nearest(name, names); meant != "" && len(names) > 1 {
		text += fmt.Sprintf(" Did you mean %q?", meant)
	}
	return text
}
