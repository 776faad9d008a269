package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/loader"
	"skills/internal/script"
)

// confine makes the runner of script files, finds out what stands around them,
// and notes both in the plan. Somebody who only looks needs no confinement.
func (a *app) confine(ctx context.Context, f runFlags, p *plan, look bool) (*script.Runner, error) {
	r, err := a.runner(f)
	if err != nil || look {
		return r, err
	}
	p.cleanup = append(p.cleanup, r.Close)
	p.sandbox, err = confinement(ctx, r)
	p.shortcomings = shortcomings(p.sandbox, f.sandbox)
	return r, err
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
// none, the scripts are refused one by one, with the reason.
func confinement(ctx context.Context, r *script.Runner) (script.Confinement, error) {
	c, err := r.Confinement(ctx)
	if errors.Is(err, script.ErrUnconfined) {
		return script.Confinement{Name: "none"}, nil
	}
	return c, err
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
