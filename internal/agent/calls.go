package agent

// The calls of one turn are answered in their order, whatever order they end in: each gets
// exactly one result, also if it is not run. Concurrent calls hold back their events and
// approvals until the earlier ones are done, so that a run looks the same each time.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	action Summary
	waits  *WaitingError // why the call has no result, or nil
}

// executed is the outcome of all calls of a turn.
type executed struct {
	reason error  // why a middleware stopped the run
	by     string // the call that stopped it

	waits *WaitingError // the call at which the run ends without a result, or nil

	broken, fine int    // number of calls that could not be run, and of those that were
	last         string // result of the last broken call

	added []Message // what follows the results
}

// executeCalls returns one result for every call of a turn, in order; if skip
// is not empty, it is the result of all. An error is that of an observer: later
// calls are not run.
func (r *run) executeCalls(ctx context.Context, turn int, calls []ToolCall, skip string) (done executed, err error) {
	parallel := r.agent.config.Parallel && len(calls) > 1 && turn > 0 // what waited goes on in order
	inProgress := 1
	if parallel {
		inProgress = maxParallel
	}
	first, sent, settled := r.result.ToolCalls, slices.Clip(r.sent), r.result.ToolCalls
	before := make(chan struct{})
	close(before)
	var started []*turnCall
	start := func() {
		n := len(started)
		if !parallel {
			sent, settled = slices.Clip(r.sent), r.result.ToolCalls
		}
		c := &turnCall{done: make(chan struct{}), inv: &Invocation{
			Call: calls[n], Session: r.session, Turn: turn, Index: n, Count: len(calls), Messages: sent,
			Model: r.agent.config.Model, Params: r.agent.config.Params, Streaming: r.agent.config.Stream,
			callState: callState{run: r, number: first + n, settled: settled},
		}}
		c.inv.Emit = c.emit
		if parallel {
			c.inv.queue = &queue{before: before, passed: make(chan struct{})}
			before = c.inv.queue.passed
		}
		started = append(started, c)
		why := skip
		switch {
		case skip != "":
		case err != nil:
			why = "the run failed before this call."
		case ctx.Err() != nil:
			why = "the run was stopped."
		case done.reason != nil && !parallel:
			why = "the run ended before this call."
		}
		go c.do(ctx, why)
	}
	for i, call := range calls {
		for len(started) < min(i+inProgress, len(calls), maxTurnCalls) {
			start()
		}
		out := outcome{result: skipped(fmt.Sprintf("at most %d calls of one turn are run.", maxTurnCalls))}
		if i < maxTurnCalls {
			out = started[i].wait()
		}
		if out.waits != nil {
			leaveOpen(r, out.waits)
			return executed{waits: out.waits, added: done.added}, err
		}
		if done.reason == nil {
			done.reason, done.by = out.reason, call.Name
		}
		done.count(out.result)
		if failure := r.settle(ctx, call, out); err == nil {
			err = failure
		}
	}
	return done, err
}

// count counts a result that determines whether the turn failed, and keeps what follows
// it. Denied and skipped calls do not count.
func (d *executed) count(result ToolResult) {
	d.added = append(d.added, result.Messages...)
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
		Truncated: result.Truncated, DurationMS: out.took.Milliseconds(), Process: result.Process, Change: result.Change, Action: out.action,
		Shown: result.Shown, Summary: result.Summary,
	}
	r.emit(event)
	r.result.ToolCalls++
	if err := answered(r.session, call.ID); err != nil {
		return err
	}
	return r.add(ctx, Message{Role: ToolRole, Source: FromTool, Text: result.Text, Parts: result.Parts, CallID: call.ID, Name: call.Name})
}

// maxResult is how many characters of a result are kept, and sent with every
// request.
const maxResult = 256 << 10

// bounded returns a result whose text is neither empty nor too long.
func (result ToolResult) bounded() ToolResult {
	valid := model.ValidText(result.Text)
	text := printable.TruncateMiddle(valid, maxResult)
	result.Truncated = result.Truncated || len(text) != len(valid)
	result.Text = text
	switch {
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

// unknown returns the result of a call of a tool that does not exist.
func (p *prepared) unknown(name string) string {
	text := fmt.Sprintf("Requested function %q not found.", name)
	names := make([]string, len(p.tools))
	for i, tool := range p.tools {
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

// maxParallel is how many calls of a turn may be in progress.
const maxParallel = 8

// queue is the position of a concurrent call in its turn: approvals, and tools
// that are [Tool.Ordered], run in the order of the calls. A nil queue does not
// wait.
type queue struct {
	before <-chan struct{} // closed when all earlier calls have passed
	passed chan struct{}
	once   sync.Once
}

// wait waits until all earlier calls have passed, or returns the context's
// error.
func (q *queue) wait(ctx context.Context) error {
	if q == nil {
		return nil
	}
	select {
	case <-q.before:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// pass lets the next call continue, once all earlier calls have passed.
func (q *queue) pass() {
	if q == nil {
		return
	}
	q.once.Do(func() {
		go func() {
			<-q.before
			close(q.passed)
		}()
	})
}

// turnCall is a call of a turn that is started. Its events are forwarded once the earlier
// calls are done, so that output is deterministic.
type turnCall struct {
	inv  *Invocation
	done chan struct{}
	out  outcome

	mu     sync.Mutex
	events []Event     // held back until the earlier calls are done
	sink   func(Event) // nil until then
}

// do runs the call, or skips it for a reason.
func (c *turnCall) do(ctx context.Context, skip string) {
	defer close(c.done)
	defer c.inv.queue.pass()
	if skip != "" {
		c.out.result = skipped(skip)
	} else {
		c.out = c.inv.run.invoke(ctx, c.inv)
	}
}

// wait returns the outcome of the call and forwards its events: the held-back
// ones immediately, later ones as they occur.
func (c *turnCall) wait() outcome {
	c.setSink(c.inv.run.emit)
	<-c.done
	c.setSink(func(Event) {}) // an abandoned call may continue
	return c.out
}

func (c *turnCall) setSink(sink func(Event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		sink(e)
	}
	c.events, c.sink = nil, sink
}

func (c *turnCall) emit(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sink != nil {
		c.sink(e)
	} else {
		c.events = append(c.events, e)
	}
}
