package run

// The file of --history is a second session file that no run reads: it has the conversation
// with the messages that hooks added to it, which the file of --session does not have.

import (
	"context"
	"fmt"
	"time"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/history"
	"skills/internal/hook"
)

// contextHistory is the context provider that writes the file.
type contextHistory struct {
	file  *history.File
	hooks *hook.Hooks // or nil
	begun bool
}

var _ agent.Observer = (*contextHistory)(nil)

// openContextHistory opens the file of --history; nil without one, or for a preview.
func openContextHistory(p *Parts) (*contextHistory, error) {
	name := p.Options.Files.History
	if name == "" || p.Options.Preview {
		return nil, nil
	}
	err := p.Options.Files.distinct(p.Env, "--history", name)
	if err != nil {
		return nil, err
	}
	file, err := history.Open(p.Env.absolute(name), time.Now, p.Mask.JSON)
	if err != nil {
		return nil, fault.AsUsage(fmt.Errorf("--history: %w", err))
	}
	p.closers = append(p.closers, file.Close)
	if file.Warning != "" {
		p.Env.Warn("--history: %s", file.Warning)
	}
	return &contextHistory{file: file}, nil
}

// Name is "history".
func (*contextHistory) Name() string { return "history" }

// Invoking adds nothing.
func (*contextHistory) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	return agent.Context{}, nil
}

// Invoked stores the last states.
func (c *contextHistory) Invoked(ctx context.Context, run *agent.Invoked) error {
	return c.file.Invoked(ctx, run)
}

// OnMessages stores messages, before the first of them what hooks added.
func (c *contextHistory) OnMessages(ctx context.Context, session *agent.Session, messages []agent.Message) error {
	var added []agent.Message
	if !c.begun && c.hooks != nil {
		for _, m := range c.hooks.Added() {
			m.Source, m.Provider = agent.FromContext, c.hooks.Name()
			added = append(added, m)
		}
	}
	c.begun = true
	return c.file.OnMessages(ctx, session, append(added, messages...))
}
