package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// scriptRunner makes the runner of script files for a run, which is closed with
// the plan. Somebody who only looks needs no more.
func (a *app) scriptRunner(f runFlags, p *plan, look bool) (*script.Runner, error) {
	r, err := a.runner(f)
	if err != nil || look {
		return r, err
	}
	r.Protect = append(r.Protect, p.hookFiles...)
	r.MoreProtect = func(ctx context.Context) []string {
		return []string{git.Client{Env: a.Environ}.HooksPath(ctx, a.Dir)}
	}
	if p.target != nil {
		r.Private = append(r.Private, p.target.Path()+partial)
	}
	a.tellUnset(f.passEnv)
	p.cleanup = append(p.cleanup, r.Close)
	p.runner, p.sandboxMode = r, f.sandbox
	return r, nil
}

// trySandbox is the sandbox as a policy asks for it.
func (p *plan) trySandbox(ctx context.Context) (sandbox.Status, error) {
	if p.runner == nil {
		return sandbox.Status{Name: sandbox.None}, nil
	}
	return p.runner.TrySandbox(ctx)
}

// runner makes the runner of script files.
func (a *app) runner(f runFlags) (*script.Runner, error) {
	r := &script.Runner{
		Dir: a.Dir, Self: a.Self, Env: a.Environ, PassEnv: f.passEnv,
		Timeout: f.scriptTimeout, Sandbox: script.SandboxMode(f.sandbox), Filter: a.filter(), AllowNet: f.allowNet,
	}
	if cache, err := os.UserCacheDir(); err == nil {
		r.Cache = filepath.Join(cache, "skills", "scripts")
	}
	for _, path := range f.allowRead {
		path = a.absolute(path)
		if _, err := os.Stat(path); err != nil {
			return nil, wrongUsage("check the path and the current directory", "--allow-read: %s does not exist", path)
		}
		if filepath.Dir(path) == path {
			return nil, wrongUsage("name a narrower folder, or pass --sandbox off", "--allow-read: %s is the root of the file system", path)
		}
		r.AllowRead = append(r.AllowRead, path)
	}
	for _, dir := range f.allowWrite {
		path := a.absolute(dir)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, wrongUsage("check the path and the current directory", "--allow-write: %s is not a folder", dir)
		}
		if err := r.CheckWrite(path); err != nil && r.Sandbox != script.SandboxOff {
			return nil, wrongUsage("name a narrower folder, or pass --sandbox off", "--allow-write: %w", err)
		}
		r.AllowWrite = append(r.AllowWrite, path)
	}
	// Scripts do not change skills, nor see what the run records.
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
			r.Private = append(r.Private, a.absolute(file))
		}
	}
	return r, nil
}

// notEnforced is what a person should know before trusting the sandbox, or "".
// Whoever has switched it off knows.
func notEnforced(c sandbox.Status, mode string) string {
	switch {
	case len(c.NotEnforced) == 0 || mode == string(script.SandboxOff):
		return ""
	case c.Name == sandbox.None:
		return "scripts run without a sandbox: " + strings.Join(c.NotEnforced, "; ")
	}
	return "scripts run in the sandbox of " + c.Name + "; not enforced: " + strings.Join(c.NotEnforced, "; ")
}
