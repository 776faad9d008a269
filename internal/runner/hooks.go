package runner

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/hook"
	"skills/internal/lint/config"
	"skills/internal/script"
)

const maxHookAnswer = 1 << 20

// planHooks creates the middleware for the hooks of the user's own configuration and of
// --hook.
func (r *Runner) planHooks(_ context.Context) error {
	o := hook.Options{Dir: r.Dir, RunID: r.runID}
	if err := r.ownHooks(&o); err != nil {
		return err
	}
	const form = "write it as before='PROGRAM ARGUMENT...' or after='PROGRAM ARGUMENT...'"
	for _, text := range r.Hooks {
		when, line, _ := strings.Cut(text, "=")
		into := map[string]*[]hook.Command{"before": &o.Before, "after": &o.After}[when]
		if into == nil {
			return Refuse(form, "--hook %s: unknown hook %q", text, when)
		}
		command, err := hook.Parse(line)
		if err != nil {
			return Refuse(form, "--hook %s: %w", text, err)
		}
		*into = append(*into, command)
	}
	if r.HookTimeout <= 0 {
		return Refuse("pass a time such as 30s", "--hook-timeout %s is not positive", r.HookTimeout)
	}
	if len(o.Before)+len(o.After) > 0 {
		runner := &script.Runner{Dir: r.Dir, Env: r.Environ, Timeout: r.HookTimeout, OutputCap: maxHookAnswer}
		writable := append([]string{r.Dir}, each(r.AllowWrite, r.absolute)...)
		pinned := hook.NewPinnedRunner(runner, r.Dir, writable, slices.Concat(o.Before, o.After)...)
		o.Runner, r.hookFiles = pinned, pinned.Files()
		r.hooks = []agent.Middleware{hook.Middleware(o)}
	}
	return nil
}

// ownHooks adds the hooks of the user's own configuration.
func (r *Runner) ownHooks(o *hook.Options) error {
	if r.Config == "" {
		return nil
	}
	path := filepath.Join(r.Config, filepath.FromSlash(config.UserFile))
	own, err := config.LoadUser(path)
	if err != nil {
		return Refused(err)
	}
	for i, h := range slices.Concat(own.Before, own.After) {
		command, err := hook.Parse(h.Command)
		// A relative path would be a file of the current repository.
		if err == nil && filepath.Base(command.Words[0]) != command.Words[0] && !filepath.IsAbs(command.Words[0]) {
			err = errors.New("its path must be absolute")
		}
		switch {
		case err != nil:
			return Refused(h.Wrong(path, "see skills run --help for the form of hooks", err))
		case i < len(own.Before):
			o.Before = append(o.Before, command)
		default:
			o.After = append(o.After, command)
		}
	}
	return nil
}
