package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"skills/internal/loader"
	"skills/internal/script"
)

// confine makes the runner of script files, and notes in the plan how to find
// out what stands around them. To try that runs programs, so it begins at once,
// beside everything else, where a skill has script files, and otherwise when it
// is asked for. Somebody who only looks needs no confinement.
func (a *app) confine(ctx context.Context, f runFlags, p *plan, look bool) (*script.Runner, error) {
	r, err := a.runner(f)
	if err != nil || look {
		return r, err
	}
	r.Protect = append(r.Protect, p.hookFiles...)
	if p.target != nil {
		r.Secrets = append(r.Secrets, p.target.Path()+partial)
	}
	a.tellUnset(f.passEnv)
	p.cleanup = append(p.cleanup, r.Close) // waits for what has begun
	p.confined = sync.OnceValue(func() script.Confinement { return confinement(ctx, r) })
	p.sandboxMode = f.sandbox
	return r, nil
}

// sandbox is what stands around scripts.
func (p *plan) sandbox() script.Confinement {
	if p.confined == nil {
		return script.Confinement{Name: "none"}
	}
	return p.confined()
}

// told is the sandbox as a policy asks for it.
func (p *plan) told() (name string, gaps []string) {
	c := p.sandbox()
	return c.Name, c.Gaps
}

// trySandbox begins to find out what stands around scripts where a skill has
// script files, and notes that one has.
func (p *plan) trySandbox(ctx context.Context) error {
	found, err := p.source.Skills(ctx)
	if err != nil || p.confined == nil {
		return err
	}
	p.scripts, err = loader.Any(ctx, len(found), func(i int) bool {
		if found[i].Dir == "" {
			return false
		}
		has, err := found[i].HasScripts(ctx)
		return err == nil && has
	})
	if err != nil {
		return err
	}
	if p.scripts {
		go p.confined()
	}
	return nil
}

// runner makes the runner of script files.
func (a *app) runner(f runFlags) (*script.Runner, error) {
	r := &script.Runner{
		Dir: a.Dir, Self: a.Self, Env: a.Environ, PassEnv: f.passEnv,
		Timeout: f.scriptTimeout, Sandbox: script.SandboxMode(f.sandbox), Filter: a.filter(), AllowNet: f.allowNet,
	}
	for _, dir := range f.allowWrite {
		path := a.absolute(dir)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, wrongUsage("name a folder that is there", "--allow-write: %s is not a folder", dir)
		}
		if err := r.CheckWrite(path); err != nil && r.Sandbox != script.SandboxOff {
			return nil, wrongUsage("name a narrower folder, or have nothing confined with --sandbox off", "--allow-write: %w", err)
		}
		r.AllowWrite = append(r.AllowWrite, path)
	}
	// Skills are run, not made, here; and what a run writes down of itself is
	// for the person who runs it.
	roots := f.skills
	if len(roots) == 0 {
		roots = loader.DefaultRoots(a.Dir, a.Home)
	}
	for _, root := range roots {
		if path := a.absolute(root); path != filepath.Clean(a.Dir) {
			r.Protect = append(r.Protect, path)
		}
	}
	for _, file := range []string{f.envFile, f.session, f.record, f.replay, f.audit} {
		if file != "" {
			r.Secrets = append(r.Secrets, a.absolute(file))
		}
	}
	return r, nil
}

// confinement is what stands around scripts. Where some is required and there is
// none, or where it cannot be found out, the scripts are refused one by one,
// with the reason.
func confinement(ctx context.Context, r *script.Runner) script.Confinement {
	c, err := r.Confinement(ctx)
	switch {
	case errors.Is(err, script.ErrUnconfined):
		return script.Confinement{Name: "none"}
	case err != nil:
		return script.Confinement{Name: "none", Gaps: []string{err.Error()}}
	}
	return c
}

// shortcomings is what a person should know before trusting the confinement, or
// "". Whoever has switched it off knows.
func shortcomings(c script.Confinement, mode string) string {
	switch {
	case len(c.Gaps) == 0 || mode == string(script.SandboxOff):
		return ""
	case c.Name == "none":
		return "scripts are not confined: " + strings.Join(c.Gaps, "; ")
	}
	return "scripts are confined by " + c.Name + ", which leaves open: " + strings.Join(c.Gaps, "; ")
}
