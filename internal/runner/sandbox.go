package runner

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// planScripts makes the runner of script files, which is closed with the run.
// look says that nothing is going to be run.
func (r *Runner) planScripts(look bool) (err error) {
	if r.scripts, err = r.ScriptRunner(); err != nil || look {
		return err
	}
	r.scripts.Protect = append(r.scripts.Protect, r.hookFiles...)
	r.scripts.MoreProtect = func(ctx context.Context) []string {
		program, err := r.scripts.FindTrusted("git")
		if err != nil {
			return nil
		}
		return []string{git.Client{Program: program, Env: r.Environ}.HooksPath(ctx, r.Dir)}
	}
	if r.target != nil {
		r.scripts.Private = append(r.scripts.Private, r.target.Path()+partial)
	}
	r.warnUnset()
	r.cleanup = append(r.cleanup, r.scripts.Close)
	return nil
}

// ScriptRunner makes a runner of script files, which the caller closes. Its
// error is an *Error.
func (r *Runner) ScriptRunner() (*script.Runner, error) {
	s := &script.Runner{
		Dir: r.Dir, Self: r.Self, Env: r.Environ, PassEnv: r.PassEnv,
		Filter:  func(to io.Writer) io.WriteCloser { return r.mask.Writer(to) }, // before anything is cut
		Timeout: r.ScriptTimeout, Sandbox: script.SandboxMode(r.Sandbox), AllowNet: r.AllowNet,
	}
	if cache, err := os.UserCacheDir(); err == nil {
		s.Cache = filepath.Join(cache, "skills", "scripts")
	}
	for _, path := range r.AllowRead {
		path = r.absolute(path)
		if _, err := os.Stat(path); err != nil {
			return nil, Refuse("check the path and the current directory", "--allow-read: %s does not exist", path)
		}
		if _, err := sandbox.CheckRead(path); err != nil && s.Sandbox != script.SandboxOff {
			return nil, Refuse("name a narrower folder, or pass --sandbox off", "--allow-read: %w", err)
		}
		s.AllowRead = append(s.AllowRead, path)
	}
	for _, dir := range r.AllowWrite {
		path := r.absolute(dir)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, Refuse("check the path and the current directory", "--allow-write: %s is not a folder", dir)
		}
		if err := s.CheckWrite(path); err != nil && s.Sandbox != script.SandboxOff {
			return nil, Refuse("name a narrower folder, or pass --sandbox off", "--allow-write: %w", err)
		}
		s.AllowWrite = append(s.AllowWrite, path)
	}
	// Scripts do not change skills, nor see what the run records.
	roots := r.Skills
	if len(roots) == 0 {
		roots = loader.DefaultRoots(r.Dir, r.Home)
	}
	for _, root := range roots {
		if path := r.absolute(root); path != filepath.Clean(r.Dir) {
			s.Protect = append(s.Protect, path)
		}
	}
	for _, file := range []string{r.EnvFile, r.Session, r.Record, r.Replay, r.Audit} {
		if file != "" {
			s.Private = append(s.Private, r.absolute(file))
			if real, err := filepath.EvalSymlinks(r.absolute(file)); err == nil { // the user may name a link
				s.Private = append(s.Private, real)
			}
		}
	}
	return s, nil
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
