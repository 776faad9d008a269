package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/lint/config"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

const maxHookAnswer = 1 << 20

// planHooks makes the parts of the run that are the user's own configuration and of --hook.
func (r *Runner) planHooks(_ context.Context) error {
	o := hook.Options{Hooks: map[string][]hook.Command{}, Dir: r.Dir, RunID: r.runID, Mask: r.mask.JSON, Note: r.announceNote}
	if r.Session != "" {
		o.Session = r.absolute(r.Session)
	}
	var all []hook.Command
	add := func(kind string, command hook.Command) {
		o.Hooks[kind], all = append(o.Hooks[kind], command), append(all, command)
	}
	path, user, err := r.userConfig()
	if err != nil {
		return err
	}
	for _, h := range user.Hooks {
		command, err := parseUserCommand(h.Text)
		if err != nil {
			return fault.AsUsage(h.Wrong(path, "see skills run --help for the form of hooks", fmt.Errorf("the hook %q: %w", h.Text, err)))
		}
		add(h.Name, command)
	}
	if err := r.parseHooks(add); err != nil {
		return err
	}
	if len(all) > 0 {
		runner := &script.Runner{Dir: r.Dir, Env: r.Environ, Timeout: r.HookTimeout, OutputCap: maxHookAnswer}
		writable := append([]string{r.Dir}, printable.Map(r.AllowWrite, r.absolute)...)
		pinned := hook.NewPinnedRunner(runner, r.Dir, writable, all...)
		o.Runner = pinned
		r.hookFiles = pinned.Protect()
		r.unconfined = append(r.unconfined, unconfined{"hook", pinned})
		r.config.Middleware = []agent.Middleware{hook.Middleware(o)}
		run := hook.NewRun(o)
		r.config.Providers = []agent.ContextProvider{run}
		r.config.RunMiddleware = []agent.RunMiddleware{run.After}
	}
	return nil
}

// parseHooks calls add for each hook of --hook.
func (r *Runner) parseHooks(add func(kind string, command hook.Command)) error {
	const form = "write it as before='PROGRAM ARGUMENT...', or with after, before-run or after-run"
	for _, text := range r.Hooks {
		when, line, _ := strings.Cut(text, "=")
		if !slices.Contains(hook.Kinds(), when) {
			return fault.Usage(form, "--hook %s: unknown hook %q", text, when)
		}
		command, err := hook.Parse(line)
		if err != nil {
			return fault.Usage(form, "--hook %s: %w", text, err)
		}
		add(when, command)
	}
	return fault.UsageIf(r.HookTimeout <= 0, "pass a time such as 30s", "--hook-timeout %s is not positive", r.HookTimeout)
}

// unconfined are commands that run outside the sandbox: hooks, or MCP servers.
type unconfined struct {
	kind     string
	commands *hook.PinnedRunner
}

// scriptsCanRun reports whether a script can run at all.
func (r *Runner) scriptsCanRun() bool {
	always, never := r.Approve == string(skills.Always), r.Approve == string(skills.Never)
	return len(r.AllowScripts) > 0 || always || !never && r.asker() != nil
}

// exposed returns a warning for each command whose code scripts may be able to change in
// a sandbox, if scripts can run.
func (r *Runner) exposed(commands []unconfined, backend string) (warnings []string) {
	if !r.scriptsCanRun() {
		return nil
	}
	for _, c := range commands {
		for _, e := range c.commands.Exposed(keepsReadOnly(backend)) {
			warnings = append(warnings, fmt.Sprintf("scripts may be able to change what the %s %s runs: %s "+
				"(put it in a script outside the working folder, and name that with its interpreter: sh /PATH/TO/SCRIPT)",
				c.kind, printable.Line(e.Command), e.Reason))
		}
	}
	return warnings
}

// warnOfExposed warns of commands before the first request. Which sandbox scripts get is
// only known when the first one starts; see [Runner.warnOfWeakerSandbox].
func (r *Runner) warnOfExposed(commands ...unconfined) {
	for _, text := range r.exposed(commands, r.scripts.ExpectedSandbox().Name) {
		r.Warn("%s", text)
	}
}

// warnOfWeakerSandbox returns the warnings that the sandbox of the first script adds to
// those for the sandbox that was expected.
func (r *Runner) warnOfWeakerSandbox(ctx context.Context) []string {
	actual, err := r.scripts.TrySandbox(ctx)
	if err != nil || keepsReadOnly(actual.Name) || !keepsReadOnly(r.scripts.ExpectedSandbox().Name) {
		return nil
	}
	known := r.exposed(r.unconfined, sandbox.Bubblewrap)
	return slices.DeleteFunc(r.exposed(r.unconfined, actual.Name), func(text string) bool { return slices.Contains(known, text) })
}

// keepsReadOnly reports whether a sandbox can keep files in the working folder read-only.
func keepsReadOnly(backend string) bool {
	return backend == sandbox.Bubblewrap || backend == sandbox.Seatbelt
}

// userConfig reads the user's own configuration, and returns its path.
func (r *Runner) userConfig() (path string, user config.User, err error) {
	if r.Config == "" {
		return "", user, nil
	}
	path = filepath.Join(r.Config, filepath.FromSlash(config.UserFile))
	if user, err = config.LoadUser(path); err != nil {
		err = fault.AsUsage(err)
	}
	return path, user, err
}

// parseUserCommand parses a command line of the user's own configuration.
func parseUserCommand(line string) (hook.Command, error) {
	command, err := hook.Parse(line)
	// A relative path would be a file of the current repository.
	if err == nil && filepath.Base(command.Words[0]) != command.Words[0] && !filepath.IsAbs(command.Words[0]) {
		err = errors.New("its path must be absolute")
	}
	return command, err
}

// HookKinds are the values of --hook up to the command.
func HookKinds() []string {
	return printable.Map(hook.Kinds(), func(kind string) string { return kind + "=" })
}
