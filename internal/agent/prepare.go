package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Request is what one request tells the model.
type Request struct {
	Model        string
	Instructions string    // the system text; empty sends none
	Messages     []Message // the conversation, then the tails
	Tools        []Tool
}

// tail is a provider's tail function with its owner's name.
type tail struct {
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
	tails        []tail
	asked        []ContextProvider // those that were asked, in order
	warnings     []string
	hung         map[string]bool // providers that were given up, by name
}

// Prepare returns the first request that Run would send for this prompt. It
// asks the context providers, sends nothing, emits nothing, and does not tell
// the providers of an end. A nil session is a new one.
func (a *Agent) Prepare(ctx context.Context, session *Session, prompt string) (Request, error) {
	if session == nil {
		session = NewSession()
	}
	p, err := a.gather(ctx, nil, session, prompt)
	if err != nil {
		return Request{}, err
	}
	tails, err := a.askTails(ctx, nil, p)
	if err != nil {
		return Request{}, err
	}
	return a.request(p, nil, p.conversation(), tails), nil
}

// request puts a request together, its messages in the memory of old ones that
// nobody needs any more.
func (a *Agent) request(p *prepared, old, messages, tails []Message) Request {
	return Request{
		Model:        a.config.Model,
		Instructions: p.instructions,
		Messages:     append(append(old[:0], messages...), tails...),
		Tools:        p.tools,
	}
}

// conversation returns the messages that a run begins with.
func (p *prepared) conversation() []Message { return slices.Concat(p.history, p.input, p.context) }

// gather asks every provider, in order. On an error the result still tells
// which providers were asked.
func (a *Agent) gather(ctx context.Context, h *hands, session *Session, prompt string) (*prepared, error) {
	p := &prepared{input: []Message{{Role: User, Source: FromUser, Text: validText(prompt)}}, hung: map[string]bool{}}
	var instructions []string
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			instructions = append(instructions, text)
		}
		p.instructions = strings.Join(instructions, "\n\n")
	}
	add(a.config.Instructions)
	owner := map[string]string{} // tool name → provider that brought it
	var tails []tail
	for _, provider := range a.config.Providers {
		if err := ctx.Err(); err != nil {
			return p, ended(ctx)
		}
		p.asked = append(p.asked, provider)
		asked := &Invoking{
			Session: session,
			Input:   slices.Clone(p.input),
			Context: Context{
				Instructions: p.instructions,
				Messages:     slices.Concat(p.history, p.context),
				Tools:        slices.Clone(p.tools),
			},
		}
		got, err := await(ctx, h, a.config.Grace, func() (Context, error) { return provider.Invoking(ctx, asked) })
		if err != nil {
			p.hung[provider.Name()] = errors.Is(err, errAbandoned)
			return p, fmt.Errorf("asking context provider %s: %w", provider.Name(), err)
		}
		add(got.Instructions)
		for _, m := range got.Messages {
			p.message(provider, m)
		}
		for _, tool := range got.Tools {
			if first, taken := owner[tool.Name]; taken {
				p.warnings = append(p.warnings, fmt.Sprintf("the tool %q of %s is left out: %s has one of that name", tool.Name, provider.Name(), first))
				continue
			}
			owner[tool.Name] = provider.Name()
			p.tools = append(p.tools, tool)
		}
		if got.Tail != nil {
			tails = append(tails, tail{provider.Name(), got.Tail})
		}
	}
	p.tails = tails
	return p, nil
}

// message puts a provider's message into its place: what comes from an earlier
// run stands before the prompt, everything else after it, stamped.
func (p *prepared) message(provider ContextProvider, m Message) {
	if _, ok := provider.(HistoryLoader); ok && m.Source == FromHistory {
		p.history = append(p.history, m)
		return
	}
	m.Source, m.Provider = FromContext, provider.Name()
	p.context = append(p.context, m)
}

// askTails returns the messages that stand at the end of a request, as things
// are now.
func (a *Agent) askTails(ctx context.Context, h *hands, p *prepared) ([]Message, error) {
	var out []Message
	for _, t := range p.tails {
		messages, err := await(ctx, h, a.config.Grace, func() ([]Message, error) { return t.messages(ctx) })
		if err != nil {
			p.hung[t.provider] = errors.Is(err, errAbandoned)
			return nil, fmt.Errorf("asking context provider %s: %w", t.provider, err)
		}
		for _, m := range messages {
			m.Source, m.Provider = FromContext, t.provider
			out = append(out, m)
		}
	}
	return out, nil
}
