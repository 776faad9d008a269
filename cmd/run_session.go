package cmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"skills/internal/agent"
	"skills/internal/session"
)

// planSession opens the file of --session; a look at the context only reads it.
func (a *app) planSession(_ context.Context, f runFlags, _ []string, p *plan) error {
	if f.session == "" {
		return nil
	}
	path := a.absolute(f.session)
	for _, other := range []struct{ flag, path string }{{"--record", f.record}, {"--replay", f.replay}} {
		if other.path != "" && a.absolute(other.path) == path {
			return wrongUsage("name two files", "--session and %s name the same file", other.flag)
		}
	}
	var file *session.File
	var err error
	if f.showContext {
		file, err = session.Look(path)
	} else {
		file, err = session.Open(path, time.Now)
	}
	if err != nil {
		return settled(fmt.Errorf("--session: %w", err))
	}
	p.cleanup = append(p.cleanup, file.Close)
	if said := file.Warning(); said != "" {
		a.warn("--session: %s", said)
	}
	file.Mask(a.mask.JSON)
	p.session, p.kept = file.Session(), file
	return nil
}

// providers are the context providers that every run has: the session's file
// first, for what it brings back comes before everything else.
func (p *plan) providers() []agent.ContextProvider {
	out := []agent.ContextProvider{p.provider}
	if p.kept != nil {
		out = slices.Insert(out, 0, p.kept)
	}
	return out
}

// ofThisRun is a conversation without what earlier runs said.
func ofThisRun(messages []agent.Message) []agent.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m agent.Message) bool { return m.Source == agent.FromHistory })
}
