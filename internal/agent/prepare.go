package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent/model"
)

// ephemeralSource is a provider's function for ephemeral messages.
type ephemeralSource struct {
	provider string
	messages func(ctx context.Context) ([]Message, error)
}

// prepared is what the providers contributed to a run.
type prepared struct {
	instructions string
	input        []Message // the person's messages
	history      []Message // of earlier runs
	context      []Message // what providers added
	tools        []Tool
	ephemeral    []ephemeralSource
	invoked      []ContextProvider // in order
	warnings     []string
	abandoned    map[string]bool // providers that did not end in time, by name
}

// Prepare returns the first request that Run would send for this prompt. It
// asks the context providers, sends nothing, emits nothing, and does not notify
// the providers of an end. A nil session is a new one.
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
	return a.request(p, p.conversation(), ephemeral), nil
}

// request puts a request together.
func (a *Agent) request(p *prepared, messages, ephemeral []Message) Request {
	r := Request{
		Model:        a.config.Model,
		Instructions: p.instructions,
		Messages:     slices.Concat(messages, ephemeral),
		Ephemeral:    len(ephemeral),
	}
	for _, t := range p.tools {
		r.Tools = append(r.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return r
}

// conversation returns the messages that a run begins with.
func (p *prepared) conversation() []Message { return slices.Concat(p.history, p.input, p.context) }

// gather calls every provider, in order. On an error the result still says
// which providers were called.
func (a *Agent) gather(ctx context.Context, session *Session, prompt string) (*prepared, error) {
	p := &prepared{input: []Message{{Role: User, Source: FromUser, Text: model.ValidText(prompt)}}, abandoned: map[string]bool{}}
	var instructions []string
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			instructions = append(instructions, text)
		}
		p.instructions = strings.Join(instructions, "\n\n")
	}
	add(a.config.Instructions)
	owner := map[string]string{} // tool name → provider that brought it
	for _, provider := range a.config.Providers {
		if err := ctx.Err(); err != nil {
			return p, ended(ctx)
		}
		p.invoked = append(p.invoked, provider)
		asked := &Invoking{
			Session: session,
			Input:   slices.Clone(p.input),
			Context: Context{
				Instructions: p.instructions,
				Messages:     slices.Concat(p.history, p.context),
				Tools:        slices.Clone(p.tools),
			},
		}
		got, err := await(ctx, a.config.Grace, func() (Context, error) { return provider.Invoking(ctx, asked) })
		if err != nil {
			p.abandoned[provider.Name()] = errors.Is(err, errAbandoned)
			return p, fmt.Errorf("context provider %s: %w", provider.Name(), err)
		}
		add(got.Instructions)
		for _, m := range got.Messages {
			p.message(provider, m)
		}
		for _, tool := range got.Tools {
			if first, taken := owner[tool.Name]; taken {
				p.warnings = append(p.warnings, fmt.Sprintf("the tool %q of %s is ignored: %s has one of that name", tool.Name, provider.Name(), first))
				continue
			}
			owner[tool.Name] = provider.Name()
			p.tools = append(p.tools, tool)
		}
		if got.Ephemeral != nil {
			p.ephemeral = append(p.ephemeral, ephemeralSource{provider.Name(), got.Ephemeral})
		}
	}
	return p, nil
}

// message puts a provider's message into its place: what comes from an earlier
// run goes before the prompt, everything else after it, stamped.
func (p *prepared) message(provider ContextProvider, m Message) {
	if _, ok := provider.(HistoryLoader); ok && m.Source == FromHistory {
		p.history = append(p.history, m)
		return
	}
	m.Source, m.Provider = FromContext, provider.Name()
	p.context = append(p.context, m)
}

// ephemeral returns the messages at the end of a request, as things are now.
func (a *Agent) ephemeral(ctx context.Context, p *prepared) ([]Message, error) {
	var out []Message
	for _, t := range p.ephemeral {
		messages, err := await(ctx, a.config.Grace, func() ([]Message, error) { return t.messages(ctx) })
		if err != nil {
			p.abandoned[t.provider] = errors.Is(err, errAbandoned)
			return nil, fmt.Errorf("context provider %s: %w", t.provider, err)
		}
		for _, m := range messages {
			m.Source, m.Provider = FromContext, t.provider
			out = append(out, m)
		}
	}
	return out, nil
}
