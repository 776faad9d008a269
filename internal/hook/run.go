package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
)

// Run are the hooks around a whole run. As a context provider it runs those before
// it; [Run.After] runs those after it.
type Run struct{ o Options }

var _ agent.HistoryLoader = (*Run)(nil)

// NewRun returns the hooks around a run.
func NewRun(o Options) *Run { return &Run{o} }

// runEvent is what hooks around a run read.
type runEvent struct {
	head
	Session      string          `json:"session"`
	Prompt       string          `json:"prompt"`
	Instructions string          `json:"instructions,omitempty"` // before the run: the system text so far
	*outcome                     // after the run
	Messages     []agent.Message `json:"messages"` // those of earlier runs; after the run, the new ones
}

type outcome struct {
	Status agent.Status `json:"status"`
	Answer string       `json:"answer"`
	Error  string       `json:"error,omitempty"`
}

// Name is what errors of a hook before a run begin with.
func (*Run) Name() string { return beforeRun }

// LoadsHistory marks the messages of hooks as history, before the prompt: a history may
// come from a program, and what it adds is not stored as something new.
func (*Run) LoadsHistory() {}

// Invoking runs the hooks before the run; each sees what those before it have
// added. The first that denies, stops or fails ends the run.
func (r *Run) Invoking(ctx context.Context, in *agent.Invoking) (agent.Context, error) {
	var add agent.Context
	var instructions []string
	for _, c := range r.o.Hooks[beforeRun] {
		e := runEvent{head: r.o.head(beforeRun, in.Agent.Model(), in.Agent.Params(), in.Agent.Streaming()), Session: r.o.Session}
		e.Messages = append(bare(in.Context.Messages), add.Messages...)
		e.Instructions = strings.Join(slices.DeleteFunc(append([]string{in.Context.Instructions}, instructions...), func(s string) bool { return s == "" }), "\n\n")
		for _, m := range in.Input {
			e.Prompt += m.Text
		}
		v, err := r.o.run(ctx, beforeRun, c, e)
		switch {
		case err != nil:
			return agent.Context{}, err
		case v.decision == deny:
			return agent.Context{}, errors.New(v.reason)
		case v.decision == stop:
			return agent.Context{}, &agent.EndError{Reason: v.reason}
		}
		for _, m := range v.messages {
			add.Messages = append(add.Messages, agent.Message{Role: m.Role, Source: agent.FromHistory, Text: m.Text})
		}
		var added []string
		if v.instructions != "" {
			instructions, added = append(instructions, v.instructions), append(added, "instructions")
		}
		if n := len(v.messages); n > 0 {
			added = append(added, printable.Plural(n, "message"))
		}
		if len(added) > 0 && r.o.Note != nil {
			r.o.Note(fmt.Sprintf("%s adds %s", named(c), strings.Join(added, " and ")))
		}
	}
	add.Instructions = strings.Join(instructions, "\n\n")
	return add, nil
}

// UntilSignal is the key of a context's value: a function of type [CancelOnSignal].
type UntilSignal struct{}

// CancelOnSignal returns a copy of a context that the next signal cancels.
type CancelOnSignal = func(context.Context) (context.Context, context.CancelFunc)

// Invoked does nothing: the hooks after a run take the time they need, see [Run.After].
func (*Run) Invoked(context.Context, *agent.Invoked) error { return nil }

// After runs all after-run hooks, even if the run failed or was interrupted. If a hook
// fails, so does the run, which keeps its answer. A signal ends the hooks, and interrupts
// the run unless it was interrupted before.
func (r *Run) After(next agent.RunHandler) agent.RunHandler {
	return func(ctx context.Context, run *agent.RunRequest) (agent.Result, error) {
		result, err := next(ctx, run)
		e := runEvent{head: r.o.head(afterRun, run.Agent.Model(), run.Agent.Params(), run.Agent.Streaming()), Session: r.o.Session, Prompt: run.Prompt}
		e.outcome, e.Messages = &outcome{Status: result.Status, Answer: result.Text}, []agent.Message{}
		if err != nil {
			e.Error = err.Error()
		}
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
			e.Error = cause.Error() // without the errors that wrap it
		}
		for _, m := range bare(result.Messages) {
			if m.Source != agent.FromHistory {
				e.Messages = append(e.Messages, m)
			}
		}
		over := context.WithoutCancel(ctx)
		if until, ok := ctx.Value(UntilSignal{}).(CancelOnSignal); ok {
			var done context.CancelFunc
			over, done = until(over)
			defer done()
		}
		for _, c := range r.o.Hooks[afterRun] {
			v, signal := r.o.run(over, afterRun, c, e)
			switch {
			case signal != nil && result.Status != agent.Interrupted:
				result.Status, result.Limit = agent.Interrupted, ""
				return result, signal
			case signal != nil:
				return result, err
			case v.decision != deny:
			case err == nil:
				result.Status, err = agent.Failed, errors.New(v.reason)
			default:
				err = fmt.Errorf("%w; %s", err, v.reason)
			}
		}
		return result, err
	}
}
