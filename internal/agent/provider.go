package agent

// Context providers add instructions, messages and tools to a run, and learn how it ended.
// They are called in order, each within a time limit. One that does not return is abandoned
// and not called again, so that it cannot hold up the run.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent/model"
)

// ContextProvider adds to the context of a run before it and gets its outcome
// after it (framework document on context providers). One value serves all
// sessions: the data of a session is stored in it with [State].
type ContextProvider interface {
	// Name returns the key of the provider's state, which is also in its
	// messages. It must be unique within an agent.
	Name() string
	// Invoking is called once, before the run's first request.
	Invoking(ctx context.Context, run *Invoking) (Context, error)
	// Invoked is called once, after the end of the run, even if it failed.
	Invoked(ctx context.Context, run *Invoked) error
}

// Observer is a context provider that receives messages as they are added to
// the conversation, before they are used: what it stores survives any later
// failure (the framework's per-call chat history persistence).
type Observer interface {
	ContextProvider
	// OnMessages receives messages in order, each once per run: those of the
	// user and of context providers at the start, then every reply, every result
	// of a call and all others. Messages of earlier runs (Source FromHistory)
	// and ephemeral ones are not included. An error ends the run, because it
	// must not continue with messages that were not stored.
	OnMessages(ctx context.Context, session *Session, messages []Message) error
}

// HistoryLoader is a context provider that loads earlier runs. Only it may add
// messages with Source FromHistory, because the agent trusts them to come from
// the user or a model.
type HistoryLoader interface {
	ContextProvider
	LoadsHistory() // marks the provider; it does nothing
}

// Invoking is a provider's input before a run.
type Invoking struct {
	Agent   *Agent
	Session *Session
	Input   []Message // the user's messages
	Context Context   // contributions of earlier providers, merged
}

// Context is a provider's contribution. All parts are optional and are
// appended: instructions joined by an empty line, messages and tools in order.
type Context struct {
	Instructions string
	Messages     []Message // marked as FromContext by the agent, except a HistoryLoader's FromHistory
	Tools        []Tool
	// Remove is what a [HistoryLoader] takes out of what others contributed before.
	Remove Removal
	// Hint is added to the prompt for models with constrained calls.
	Hint string
	// Optional means that models with constrained calls do without the instructions and
	// the tools.
	Optional bool
	// Ephemeral is called before every request for current messages to add at
	// its end, which are not kept in the conversation. It may be nil.
	Ephemeral func(ctx context.Context) ([]Message, error)
	// Refresh is called before every request but the first, and returns what replaces
	// Instructions and Tools from then on. It returns nil if they are unchanged, so that
	// servers find the beginning of the request in their cache. It may be nil.
	Refresh func(ctx context.Context) (*Update, error)
}

// Removal is what a provider takes out of the context.
type Removal struct {
	Messages     []int  // indexes of messages of [Invoking.Context]
	Instructions bool   // all that were contributed before
	Input        bool   // the prompt, in whose place is
	Prompt       string // this one
}

// Update replaces what a provider contributed before.
type Update struct {
	Instructions string
	Tools        []Tool
	Note         string // for the user
}

// Invoked is a provider's input after a run.
type Invoked struct {
	Session  *Session
	Request  []Message // the user's messages
	Response []Message // those of the model and its tools, in order
	// All is the whole conversation, with earlier runs and what providers added.
	// A provider that stores what others load or add finds it again in each run.
	All []Message
	Err error // why there is no answer; nil if there is one
}

// part is what one provider contributes to each request.
type part struct {
	provider     string
	instructions string
	tools        []Tool
	hint         string
	optional     bool
	refresh      func(ctx context.Context) (*Update, error)
	ephemeral    func(ctx context.Context) ([]Message, error)
}

// prepared holds the contributions of the providers to a run.
type prepared struct {
	parts        []part            // in order, the agent's own first
	instructions string            // of all parts
	hint         string            // the first of them
	lean         bool              // without optional parts
	input        []Message         // the user's messages
	history      []Message         // messages of earlier runs
	context      []Message         // added by providers
	tools        []Tool            // of all parts
	invoked      []ContextProvider // in order
	warnings     []string
	abandoned    map[string]bool // names of providers that did not return in time
}

// Prepare returns the first request that Run would send for this prompt. It
// calls the context providers, but sends nothing, emits no events, and does not
// notify the providers of the end. A nil session is a new one.
func (a *Agent) Prepare(ctx context.Context, session *Session, prompt string) (Request, error) {
	if session == nil {
		session = NewSession()
	}
	p, err := a.gather(ctx, session, prompt)
	if err != nil {
		return Request{}, err
	}
	ephemeral, err := a.ephemeral(ctx, p)
	if err != nil {
		return Request{}, err
	}
	r := &run{
		agent: a, session: session, prepared: p, sent: p.conversation(), window: contextWindow{size: a.config.Window},
		forms: newForms(a.config.ToolCalls), over: true,
	}
	request := r.request(ctx, 1, ephemeral)
	return r.forms.form(ctx, &exchange{run: r, request: request}).Encode(request), nil
}

func (a *Agent) request(p *prepared, messages, ephemeral []Message) Request {
	r := Request{
		Model:        a.config.Model,
		Instructions: p.instructions,
		Messages:     withEphemeral(messages, ephemeral),
		Ephemeral:    len(ephemeral),
		Params:       a.config.Params,
		Tools:        []RequestTool{}, // an empty list in JSON, not null
	}
	for _, t := range p.tools {
		r.Tools = append(r.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema, Aliases: t.Aliases, Ordered: t.Ordered, Next: t.Next})
	}
	return r
}

// withEphemeral returns the messages of a request: ephemeral ones, such as the todo list,
// are at its end, so that servers find the rest in their caches.
func withEphemeral(messages, ephemeral []Message) []Message {
	return slices.Concat(messages, ephemeral)
}

// conversation returns the messages at the start of a run.
func (p *prepared) conversation() []Message { return slices.Concat(p.history, p.input, p.context) }

// gather calls every provider in order. It returns those called so far even on
// error.
func (a *Agent) gather(ctx context.Context, session *Session, prompt string) (*prepared, error) {
	p := &prepared{input: []Message{{Role: User, Source: FromUser, Text: model.ValidText(prompt), Parts: a.config.Attachments}}, abandoned: map[string]bool{}, lean: a.config.ToolCalls.Mode == CallsJSON}
	if prompt == "" && len(WaitingCalls(session)) > 0 { // the conversation goes on by itself
		p.input = nil
	}
	p.parts = []part{{instructions: a.config.Instructions}}
	p.join()
	for _, provider := range a.config.Providers {
		if err := ctx.Err(); err != nil {
			return p, ended(ctx)
		}
		p.invoked = append(p.invoked, provider)
		asked := &Invoking{
			Agent: a, Session: session,
			Input: slices.Clone(p.input),
			Context: Context{
				Instructions: p.instructions,
				Messages:     slices.Concat(p.history, p.context),
				Tools:        slices.Clone(p.tools),
			},
		}
		got, err := consult(ctx, a, p, provider.Name(), func() (Context, error) { return provider.Invoking(ctx, asked) })
		if err != nil {
			return p, err
		}
		p.add(provider, got)
	}
	return p, nil
}

// consult calls a provider. One that is abandoned is not called again.
func consult[T any](ctx context.Context, a *Agent, p *prepared, provider string, f func() (T, error)) (T, error) {
	got, err := await(ctx, a.config.Grace, f)
	if err != nil {
		p.abandoned[provider] = errors.Is(err, errAbandoned)
		err = fmt.Errorf("%s: %w", provider, err)
	}
	return got, err
}

// add adds a provider's contribution.
func (p *prepared) add(provider ContextProvider, got Context) {
	_, remembers := provider.(HistoryLoader)
	if remembers {
		p.remove(got.Remove)
	}
	p.parts = append(p.parts, part{
		provider:     provider.Name(),
		instructions: got.Instructions,
		tools:        got.Tools,
		hint:         got.Hint,
		optional:     got.Optional,
		refresh:      got.Refresh,
		ephemeral:    got.Ephemeral,
	})
	p.join()
	for _, m := range got.Messages {
		if m.Source == FromHistory && remembers {
			p.history = append(p.history, m)
			continue
		}
		if !remembers || m.Provider == "" {
			m.Provider = provider.Name()
		}
		m.Source = FromContext
		p.context = append(p.context, m)
	}
}

// remove takes out what a provider does not want.
func (p *prepared) remove(r Removal) {
	keep := func(messages []Message, first int) (kept []Message) {
		for i, m := range messages {
			if !slices.Contains(r.Messages, first+i) {
				kept = append(kept, m)
			}
		}
		return kept
	}
	if len(r.Messages) > 0 {
		p.context = keep(p.context, len(p.history))
		p.history = keep(p.history, 0)
	}
	if r.Instructions {
		for i := range p.parts {
			p.parts[i].instructions = ""
		}
	}
	if r.Input && len(p.input) > 0 {
		p.input[0].Text = model.ValidText(r.Prompt)
	}
}

// join puts the parts together.
func (p *prepared) join() {
	var instructions []string
	p.tools, p.warnings, p.hint = nil, nil, ""
	owner := map[string]string{} // tool name → provider that brought it
	for _, part := range p.parts {
		if p.lean && part.optional {
			continue
		}
		p.hint = cmp.Or(p.hint, part.hint)
		if strings.TrimSpace(part.instructions) != "" {
			instructions = append(instructions, part.instructions)
		}
		for _, tool := range part.tools {
			if first, taken := owner[tool.Name]; taken {
				p.warnings = append(p.warnings, fmt.Sprintf("the tool %q of %s is ignored: %s has one of that name", tool.Name, part.provider, first))
				continue
			}
			owner[tool.Name] = part.provider
			p.tools = append(p.tools, tool)
		}
	}
	p.instructions = strings.Join(instructions, "\n\n")
}

// refresh asks the providers for updates.
func (r *run) refresh(ctx context.Context) error {
	changed := false
	for i := range r.prepared.parts {
		part := &r.prepared.parts[i]
		if part.refresh == nil {
			continue
		}
		update, err := consult(ctx, r.agent, r.prepared, part.provider, func() (*Update, error) { return part.refresh(ctx) })
		if err != nil {
			return err
		}
		if update == nil {
			continue
		}
		changed, part.instructions, part.tools = true, update.Instructions, update.Tools
		r.prepared.join()
		if update.Note != "" {
			r.emit(NoteEvent{Message: update.Note})
		}
	}
	if changed {
		r.emit(ContextEvent{Request: r.agent.request(r.prepared, nil, nil)})
	}
	return nil
}

// ephemeral returns the current messages for the end of a request.
func (a *Agent) ephemeral(ctx context.Context, p *prepared) ([]Message, error) {
	var out []Message
	for _, part := range p.parts {
		if part.ephemeral == nil || p.lean && part.optional {
			continue
		}
		messages, err := consult(ctx, a, p, part.provider, func() ([]Message, error) { return part.ephemeral(ctx) })
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			m.Source, m.Provider = FromContext, part.provider
			out = append(out, m)
		}
	}
	return out, nil
}

// invoked returns what a provider gets after a run.
func (r *run) invoked(err error) *Invoked {
	begun := min(len(r.prepared.history), len(r.messages)) // what a run resumes comes before its input
	ofOthers := func(m Message) bool { return m.Source != FromModel && m.Source != FromTool }
	return &Invoked{
		Session: r.session, Err: err, All: slices.Clone(r.messages),
		Request:  slices.Clone(r.prepared.input),
		Response: slices.DeleteFunc(slices.Clone(r.messages[begun:]), ofOthers),
	}
}
