package cmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/audit"
	"skills/internal/session"
	"skills/internal/todo"
)

// planSession opens the file of --session; a look at the context only reads it.
func (a *app) planSession(_ context.Context, f runFlags, _ []string, p *plan) error {
	if f.session == "" {
		return nil
	}
	path := a.absolute(f.session)
	if err := a.apart("--session", f.session, [][2]string{{"--record", f.record}, {"--replay", f.replay}, {"--audit", f.audit}}); err != nil {
		return err
	}
	var file *session.File
	var err error
	if f.showContext {
		file, err = session.Look(path)
	} else {
		file, err = session.Open(path, time.Now, a.mask.JSON)
	}
	if err != nil {
		return usageError(fmt.Errorf("--session: %w", err))
	}
	p.cleanup = append(p.cleanup, file.Close)
	if said := file.Warning(); said != "" {
		a.warn("--session: %s", said)
	}
	if err := checkStates(file, f); err != nil {
		return usageError(fmt.Errorf("--session: %w", err))
	}
	p.session, p.kept = file.Session(), file
	return nil
}

// checkStates refuses a session whose states their owners cannot read: a new one
// would silently take the place of what is there.
func checkStates(file *session.File, f runFlags) error {
	if !f.noTodo {
		if err := file.Check(todo.Name, func(s *agent.Session) error { _, err := todo.Items(s); return err }); err != nil {
			return err
		}
	}
	return file.Check(skills.Name, func(s *agent.Session) error { _, err := skills.Loaded(s); return err })
}

// apart refuses a file that other flags name, too, be it through a link or by
// another spelling.
func (a *app) apart(flag, path string, others [][2]string) error {
	mine := a.absolute(path)
	info, err := os.Stat(mine)
	for _, other := range others {
		if other[1] == "" {
			continue
		}
		theirs := a.absolute(other[1])
		same := theirs == mine
		if found, oerr := os.Stat(theirs); err == nil && oerr == nil {
			same = same || os.SameFile(info, found)
		}
		if same {
			return wrongUsage("name two files", "%s and %s name the same file", flag, other[0])
		}
	}
	return nil
}

// planAudit opens the file of --audit; a look at the context needs none.
func (a *app) planAudit(ctx context.Context, f runFlags, _ []string, p *plan) error {
	if f.audit == "" || f.showContext {
		return nil
	}
	// The session's file is there by now, so that a link to it is seen.
	if err := a.apart("--audit", f.audit, [][2]string{{"--session", f.session}, {"--record", f.record}, {"--replay", f.replay}}); err != nil {
		return err
	}
	log, err := audit.Open(a.absolute(f.audit), audit.Options{
		RunID: p.runID, Dir: a.Dir, Now: time.Now, Mask: a.mask.JSON,
		Warn: func(message string) { a.warn("--audit: %s", message) },
		Script: func(call agent.ToolCall) (skills.ScriptRun, bool) {
			return p.provider.ScriptRun(context.WithoutCancel(ctx), call)
		},
	})
	if err != nil {
		return usageError(fmt.Errorf("--audit: %w", err))
	}
	p.audit = log
	p.cleanup = append(p.cleanup, log.Close)
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
