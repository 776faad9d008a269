package runner

import (
	"context"
	"fmt"
	"os"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/audit"
	"skills/internal/session"
	"skills/internal/todo"
)

// openSession opens the file of --session; a look at the context only reads it.
func (r *Runner) openSession(_ context.Context) error {
	if r.Session == "" {
		return nil
	}
	path := r.absolute(r.Session)
	if err := r.apart("--session", r.Session); err != nil {
		return err
	}
	var file *session.File
	var err error
	if r.ShowContext {
		file, err = session.Look(path)
	} else {
		file, err = session.Open(path, time.Now, r.mask.JSON)
	}
	if err != nil {
		return Refused(fmt.Errorf("--session: %w", err))
	}
	r.cleanup = append(r.cleanup, file.Close)
	if said := file.Warning(); said != "" {
		r.warnf("--session: %s", said)
	}
	if err := r.checkStates(file); err != nil {
		return Refused(fmt.Errorf("--session: %w", err))
	}
	r.session, r.kept = file.Session(), file
	return nil
}

// checkStates refuses a session whose states their owners cannot read: a new one
// would silently take the place of what is there.
func (r *Runner) checkStates(file *session.File) error {
	if !r.NoTodo {
		if err := file.Check(todo.Name, func(s *agent.Session) error { _, err := todo.Items(s); return err }); err != nil {
			return err
		}
	}
	return file.Check(skills.Name, func(s *agent.Session) error { _, err := skills.Loaded(s); return err })
}

// apart refuses a file that other flags name, too, be it through a link or by
// another spelling.
func (r *Runner) apart(flag, path string) error {
	mine := r.absolute(path)
	info, _ := os.Stat(mine)
	for _, other := range [][2]string{{"--session", r.Session}, {"--record", r.Record}, {"--replay", r.Replay}, {"--audit", r.Audit}} {
		if other[0] == flag || other[1] == "" {
			continue
		}
		theirs := r.absolute(other[1])
		if found, err := os.Stat(theirs); theirs == mine || err == nil && info != nil && os.SameFile(info, found) {
			return Refuse("name two files", "%s and %s name the same file", flag, other[0])
		}
	}
	return nil
}

// openAudit opens the file of --audit; a look at the context needs none.
func (r *Runner) openAudit(ctx context.Context) error {
	if r.Audit == "" || r.ShowContext {
		return nil
	}
	// The session's file is there by now, so that a link to it is seen.
	if err := r.apart("--audit", r.Audit); err != nil {
		return err
	}
	log, err := audit.Open(r.absolute(r.Audit), audit.Options{
		RunID: r.runID, Dir: r.Dir, Now: time.Now, Mask: r.mask.JSON,
		Warn: func(message string) { r.warnf("--audit: %s", message) },
		Script: func(call agent.ToolCall) (skills.ScriptRun, bool) {
			return r.provider.ScriptRun(context.WithoutCancel(ctx), call)
		},
	})
	if err != nil {
		return Refused(fmt.Errorf("--audit: %w", err))
	}
	r.audit = log
	r.cleanup = append(r.cleanup, log.Close)
	return nil
}
