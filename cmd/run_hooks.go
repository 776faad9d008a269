package cmd

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

// maxHookAnswer is the most that is read of what a hook prints.
const maxHookAnswer = 1 << 20

// planHooks makes the middleware of the user's own configuration and of --hook.
func (a *app) planHooks(_ context.Context, f runFlags, _ []string, p *plan) error {
	runner := &script.Runner{Dir: a.Dir, Env: a.Environ, Timeout: f.hookTimeout, OutputCap: maxHookAnswer}
	o := hook.Options{Dir: a.Dir, RunID: p.runID}
	if err := a.ownHooks(&o); err != nil {
		return err
	}
	const form = "write it as before='PROGRAM ARGUMENT...' or after='PROGRAM ARGUMENT...'"
	for _, text := range f.hooks {
		when, line, _ := strings.Cut(text, "=")
		into := &o.Before
		switch when {
		case "before":
		case "after":
			into = &o.After
		default:
			return wrongUsage(form, "--hook %s: there is no hook %q", text, when)
		}
		command, err := hook.Parse(line)
		if err != nil {
			return wrongUsage(form, "--hook %s: %w", text, err)
		}
		*into = append(*into, command)
	}
	if f.hookTimeout <= 0 {
		return wrongUsage("give a time such as 30s", "--hook-timeout %s leaves a hook no time", f.hookTimeout)
	}
	if len(o.Before)+len(o.After) > 0 {
		writable := []string{a.Dir}
		for _, dir := range f.allowWrite {
			writable = append(writable, a.absolute(dir))
		}
		own := hook.NewPinnedRunner(runner, runner, a.Dir, writable, slices.Concat(o.Before, o.After)...)
		o.Runner, p.hookFiles = own, own.Files()
		p.hooks = []agent.Middleware{hook.Middleware(o)}
	}
	return nil
}

// ownHooks are those of the user's own configuration.
func (a *app) ownHooks(o *hook.Options) error {
	if a.Config == "" {
		return nil
	}
	path := filepath.Join(a.Config, filepath.FromSlash(config.UserFile))
	own, err := config.LoadUser(path)
	if err != nil {
		return usageError(err)
	}
	for _, kind := range []struct {
		hooks []config.Hook
		into  *[]hook.Command
	}{{own.Before, &o.Before}, {own.After, &o.After}} {
		for _, h := range kind.hooks {
			command, err := hook.Parse(h.Command)
			if err == nil {
				err = anywhere(command.Words[0])
			}
			if err != nil {
				return usageError(h.Wrong(path, "mend it; skills run --help says how hooks are written", err))
			}
			*kind.into = append(*kind.into, command)
		}
	}
	return nil
}

// anywhere refuses a program whose place depends on where the run is started:
// that would be a repository's.
func anywhere(program string) error {
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		return errors.New("its path has to be written in full, for runs are started in many folders")
	}
	return nil
}
