package hook

// Hooks around a whole run. Those before it work on a draft of its context, one after the
// other; the draft becomes what the agent gets from a context provider. Those after it run
// whatever ended the run.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
)

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

// ToolSpec is a tool that a hook adds for one run: a program that reads its arguments as
// JSON from standard input.
type ToolSpec struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"schema"`
	Command     []string       `json:"command"`
	// Hook is the hook that adds it, as errors and prompts name it.
	Hook string `json:"-"`
}

// Name is what errors of a hook before a run begin with.
func (*Hooks) Name() string { return beforeRun }

// LoadsHistory marks the messages of hooks as history, before the prompt: a history may
// come from a program, and what it adds is not stored as something new.
func (*Hooks) LoadsHistory() {}

// draft is the context of a run as the hooks before it leave it.
type draft struct {
	in           *agent.Invoking
	prompt       string
	instructions []string // those before the hooks first, unless they are removed
	messages     []drafted
	remove       agent.Removal
	tools        []agent.Tool
}

// drafted is a message with its index among the earlier ones; -1 if a hook added it.
type drafted struct {
	agent.Message
	index int
}

// Invoking runs the hooks before the run; each sees what those before it have left. The
// first that denies, stops or fails ends the run.
func (h *Hooks) Invoking(ctx context.Context, in *agent.Invoking) (agent.Context, error) {
	if h.o.Protocol == AgentHooks {
		return points{h}.startup(ctx, in)
	}
	d := &draft{in: in, instructions: []string{in.Context.Instructions}}
	for _, m := range in.Input {
		d.prompt += m.Text
	}
	for i, m := range bare(in.Context.Messages) {
		d.messages = append(d.messages, drafted{m, i})
	}
	for _, c := range h.o.Hooks[beforeRun] {
		e := runEvent{head: h.head(beforeRun, in.Agent.Model(), in.Agent.Params(), in.Agent.Streaming()), Session: h.o.Session, Prompt: d.prompt}
		e.Instructions, e.Messages = joined(slices.Clone(d.instructions)...), d.list()
		v, err := h.run(ctx, beforeRun, c, e)
		switch {
		case err != nil:
			return agent.Context{}, err
		case v.decision == deny:
			return agent.Context{}, errors.New(v.reason)
		case v.decision == stop:
			return agent.Context{}, &agent.EndError{Reason: v.reason}
		}
		did, err := h.apply(d, c, v)
		if err != nil {
			return agent.Context{}, fmt.Errorf("%s failed: %w", named(c), err)
		}
		if len(did) > 0 && h.o.Note != nil {
			h.o.Note(named(c) + " " + strings.Join(did, "; "))
		}
	}
	out := d.context()
	for _, m := range out.Messages {
		if m.Source == agent.FromHistory {
			h.added = append(h.added, m)
		}
	}
	return out, nil
}

// Added returns the messages without a source that hooks added before the run. They are in
// requests like those of earlier runs, and in no event.
func (h *Hooks) Added() []agent.Message { return slices.Clone(h.added) }

// list returns the messages, never nil.
func (d *draft) list() []agent.Message {
	out := []agent.Message{}
	for _, m := range d.messages {
		out = append(out, m.Message)
	}
	return out
}

// apply applies the answer of a hook, and says what it did.
func (h *Hooks) apply(d *draft, c Command, v verdict) (did []string, err error) {
	removed, err := d.removed(v.remove)
	if err != nil {
		return nil, err
	}
	if len(removed) > 0 {
		did = append(did, "removes "+strings.Join(removed, ", "))
	}
	var added []string
	if v.instructions != nil && *v.instructions != "" {
		d.instructions, added = append(d.instructions, *v.instructions), append(added, "instructions")
	}
	for _, m := range v.messages {
		m.Source = agent.FromHistory
		if m.Provider != "" {
			m.Source = agent.FromContext
		}
		d.messages = append(d.messages, drafted{m, -1})
	}
	if n := len(v.messages); n > 0 {
		added = append(added, printable.Plural(n, "message"))
	}
	for _, spec := range v.tools {
		spec.Hook = c.Text
		if h.o.Tool == nil {
			return nil, errors.New("tools cannot be added here")
		}
		tool, err := h.o.Tool(spec)
		if err != nil {
			return nil, fmt.Errorf("the tool %s: %w", printable.Quoted(spec.Name), err)
		}
		d.tools, added = append(d.tools, tool), append(added, "the tool "+printable.Line(spec.Name))
	}
	if slices.ContainsFunc(v.remove, func(r removal) bool { return r.word == removePrompt }) {
		err = d.newPrompt()
		if err != nil {
			return nil, err
		}
	}
	if len(added) > 0 {
		did = append(did, "adds "+strings.Join(added, " and "))
	}
	return did, nil
}

// removed removes what a hook names, and says what that is.
func (d *draft) removed(list []removal) (what []string, err error) {
	gone := map[int]bool{}
	for _, r := range list {
		switch {
		case r.word == removePrompt:
			d.remove.Input = true
			what = append(what, "the prompt")
		case r.word == removeInstructions:
			d.remove.Instructions, d.instructions = true, nil
			what = append(what, "the instructions")
		case r.index >= len(d.messages):
			return nil, fmt.Errorf("it removes message %d, and there are %d", r.index, len(d.messages))
		default:
			gone[r.index] = true
		}
	}
	if len(gone) == 0 {
		return what, nil
	}
	var left []drafted
	for i, m := range d.messages {
		switch {
		case !gone[i]:
			left = append(left, m)
		case m.index >= 0:
			d.remove.Messages = append(d.remove.Messages, m.index)
		}
	}
	d.messages = left
	err = paired(d.list())
	if err != nil {
		return nil, fmt.Errorf("it removes too little or too much: %w", err)
	}
	return append(what, printable.Plural(len(gone), "message")), nil
}

// newPrompt makes the last message of the user that a hook added the prompt, in place of
// the one that was removed.
func (d *draft) newPrompt() error {
	for i, m := range slices.Backward(d.messages) {
		if m.index < 0 && m.Role == agent.User && m.Source == agent.FromHistory {
			d.prompt = m.Text
			d.remove.Prompt = m.Text
			d.messages = slices.Delete(d.messages, i, i+1)
			return nil
		}
	}
	return errors.New("it removes the prompt, and adds no message of the user without a source")
}

// context returns what the hooks add and remove.
func (d *draft) context() agent.Context {
	out := agent.Context{Remove: d.remove, Tools: d.tools}
	instructions := d.instructions
	if !d.remove.Instructions {
		instructions = instructions[1:] // they stay where they are
	}
	out.Instructions = joined(slices.Clone(instructions)...)
	for _, m := range d.messages {
		if m.index < 0 {
			out.Messages = append(out.Messages, m.Message)
		}
	}
	return out
}

// UntilSignal is the key of a context's value: a function of type [CancelOnSignal].
type UntilSignal struct{}

// CancelOnSignal returns a copy of a context that the next signal cancels.
type CancelOnSignal = func(context.Context) (context.Context, context.CancelFunc)

// Invoked does nothing: the hooks after a run take the time they need, see [Hooks.After].
func (*Hooks) Invoked(context.Context, *agent.Invoked) error { return nil }

// After runs all after-run hooks, even if the run failed or was interrupted. If a hook
// fails, so does the run, which keeps its answer. A signal ends the hooks, and interrupts
// the run unless it was interrupted before.
func (h *Hooks) After(next agent.RunHandler) agent.RunHandler {
	return func(ctx context.Context, run *agent.RunRequest) (agent.Result, error) {
		result, err := next(ctx, run)
		e := runEvent{head: h.head(afterRun, run.Agent.Model(), run.Agent.Params(), run.Agent.Streaming()), Session: h.o.Session, Prompt: run.Prompt}
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
		if h.o.Protocol == AgentHooks {
			signal := points{h}.shutdown(over, result.Status)
			if signal != nil && result.Status != agent.Interrupted {
				result.Status, result.Limit = agent.Interrupted, ""
				return result, signal
			}
			return result, err
		}
		for _, c := range h.o.Hooks[afterRun] {
			v, signal := h.run(over, afterRun, c, e)
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
