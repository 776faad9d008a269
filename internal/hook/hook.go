// Package hook runs the user's programs at every step of a run: before the run and after
// it, before a request to the model and after its reply, before a tool call and after it,
// and before an answer is shown. They may deny a step, change it, do it in its place, or
// end the run.
//
// Only a clear answer allows a step: a program that cannot be started, fails, times out
// or prints an invalid answer denies it. So does an ambiguous answer: null, a duplicate
// key, a reason without a decision. A program that prints nothing, or an empty object, has
// no objection. That does not approve a call: hooks run outside of approvals, so that the
// user approves the call as changed by the hooks. Only a hook that the user's configuration
// trusts can approve one.
package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/printable"
	"skills/internal/script"
)

// The events in the input of hooks.
const (
	before      = "before"
	after       = "after"
	beforeModel = "before-model"
	afterModel  = "after-model"
	output      = "output"
	beforeRun   = "before-run"
	afterRun    = "after-run"
)

// Kinds are the names of the events.
func Kinds() []string {
	return []string{before, after, beforeModel, afterModel, output, beforeRun, afterRun}
}

// Every is the name for all kinds: the program runs on every event.
const Every = "every"

// eventVariable is the environment variable with the name of the event.
const eventVariable = "SKILLS_HOOK_EVENT"

// schemaVersion is the version of the event.
const schemaVersion = 1

// Runner runs the programs; [script.Runner] implements it.
type Runner interface {
	// Ask runs command with input on standard input and more variables (KEY=VALUE). The
	// error is the reason why it was not started.
	Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error)
}

// Options holds the hooks of a run.
type Options struct {
	Hooks   map[string][]Command // by their kind, see [Kinds], in order
	Runner  Runner
	Dir     string // the working directory, for the hooks to know
	RunID   string
	Session string                   // the file that keeps the conversation, "" for none
	Note    func(message string)     // receives what hooks add to a run; nil drops it
	Mask    func(json []byte) []byte // hides keys in what hooks read; nil hides nothing
	// Trusted returns "" for a hook that may approve calls, and else why it may not; nil
	// trusts none.
	Trusted func(Command) (why string)
	// Tool makes the tools that a hook before the run adds; nil means that it may add none.
	Tool func(ToolSpec) (agent.Tool, error)
	// Protocol is [Skills], also "", or [AgentHooks].
	Protocol string
	// Record receives the record of each emission of agent-hooks; nil drops it.
	Record func(Record)
	// Lift asks a person about a denial of agent-hooks that can be lifted; asked is false if
	// nobody can answer. Nil lifts none.
	Lift func(ctx context.Context, inv *agent.Invocation, reason string) (d agent.Decision, asked bool)
}

// Hooks are the hooks of one run. As a context provider they run those before it;
// [Hooks.After] runs those after it.
type Hooks struct {
	o Options

	mu     sync.Mutex
	states map[string]json.RawMessage // what each program keeps, by its command line

	added    []agent.Message // see Added
	sequence int             // of the next emission
}

var _ agent.HistoryLoader = (*Hooks)(nil)

// New returns the hooks of a run.
func New(o Options) *Hooks { return &Hooks{o: o, states: map[string]json.RawMessage{}} }

// Has reports whether there is a hook of any of these kinds.
func (h *Hooks) Has(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool { return len(h.o.Hooks[kind]) > 0 })
}

// Holds returns the hooks for which text of the model is held back.
func (h *Hooks) Holds() []Command { return slices.Concat(h.o.Hooks[afterModel], h.o.Hooks[output]) }

// head is what every event begins with.
type head struct {
	Event         string       `json:"event"`
	SchemaVersion int          `json:"schema_version"`
	RunID         string       `json:"run_id"`
	Cwd           string       `json:"cwd"`
	Model         string       `json:"model"`
	Params        agent.Params `json:"params,omitempty"`
	Streaming     bool         `json:"streaming"`
}

func (h *Hooks) head(kind, model string, params agent.Params, streaming bool) head {
	return head{
		Event:         kind,
		SchemaVersion: schemaVersion,
		RunID:         h.o.RunID,
		Cwd:           h.o.Dir,
		Model:         model,
		Params:        params,
		Streaming:     streaming,
	}
}

// run runs one hook. What fails is a denial; the error is that of a run that is
// over. A reason names its hook.
func (h *Hooks) run(ctx context.Context, kind string, c Command, event any) (verdict, error) {
	input := h.withState(c, []byte(printable.JSONText(event)))
	if h.o.Mask != nil {
		input = h.o.Mask(input)
	}
	got, err := h.o.Runner.Ask(ctx, c.Words, append(input, '\n'), eventVariable+"="+kind)
	if ctx.Err() != nil {
		return verdict{}, fmt.Errorf("running %s: %w", named(c), context.Cause(ctx))
	}
	var v verdict
	if err == nil {
		v, err = read(kind, got)
	}
	switch {
	case err != nil:
		return verdict{decision: deny, reason: named(c) + " failed: " + err.Error()}, nil
	case v.decision == deny || v.decision == stop:
		v.reason = named(c) + ": " + cmp.Or(v.reason, "it gave no reason")
	}
	if v.state != nil {
		h.mu.Lock()
		h.states[c.Text] = v.state
		h.mu.Unlock()
	}
	return v, nil
}

// withState adds what a program kept to an event.
func (h *Hooks) withState(c Command, event []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	state, ok := h.states[c.Text]
	if !ok || len(event) < 2 {
		return event
	}
	return slices.Concat([]byte(`{"state":`), state, []byte(","), event[1:])
}

// bare is a conversation without the data of files, never nil.
func bare(messages []agent.Message) []agent.Message {
	out := append([]agent.Message{}, messages...)
	for i := range out {
		out[i].Parts = model.Bare(out[i].Parts)
	}
	return out
}

func named(c Command) string {
	return "hook " + printable.Truncate(c.Text, 60)
}

// joined joins what is not empty with an empty line between.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n\n")
}
