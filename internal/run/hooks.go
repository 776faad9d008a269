package run

// Hooks and MCP servers are programs of the user that run outside the sandbox, so a script
// that could change their code could escape. Their files are protected, and the user is
// warned of what the sandbox of the first script does not protect.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/lint/config"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

const maxHookAnswer = 1 << 20

// hooks are the user's programs around tool calls and the run.
type hooks struct {
	run        *hook.Run // as a context provider; nil without hooks
	middleware agent.Middleware
	protect    []string // code of hooks that scripts could write to
	commands   *hook.PinnedRunner
}

// loadHooks reads the hooks of --hook and of the user's own configuration.
func loadHooks(env Env, o Options, runID string, mask *redact.Masker, note func(string)) (hooks, error) {
	h := hook.Options{Hooks: map[string][]hook.Command{}, Dir: env.Dir, RunID: runID, Mask: mask.JSON, Note: note}
	if o.Files.Session != "" {
		h.Session = env.absolute(o.Files.Session)
	}
	var all []hook.Command
	add := func(kind string, command hook.Command) {
		h.Hooks[kind], all = append(h.Hooks[kind], command), append(all, command)
	}
	path, user, err := userConfig(env)
	if err != nil {
		return hooks{}, err
	}
	for _, entry := range user.Hooks {
		command, err := parseUserCommand(entry.Text)
		if err != nil {
			err = fmt.Errorf("the hook %q: %w", entry.Text, err)
			return hooks{}, fault.AsUsage(entry.Wrong(path, "see skills run --help for the form of hooks", err))
		}
		add(entry.Name, command)
	}
	err = o.Programs.parseHooks(add)
	if err != nil || len(all) == 0 {
		return hooks{}, err
	}
	runner := &script.Runner{Dir: env.Dir, Env: env.Environ, Timeout: o.Programs.HookTimeout, OutputCap: maxHookAnswer}
	pinned := hook.NewPinnedRunner(runner, env.Dir, writable(env, o.Scripts), all...)
	h.Runner = pinned
	return hooks{run: hook.NewRun(h), middleware: hook.Middleware(h), protect: pinned.Protect(), commands: pinned}, nil
}

// writable returns the folders that scripts can write to.
func writable(env Env, o Scripts) []string {
	return append([]string{env.Dir}, printable.Map(o.AllowWrite, env.absolute)...)
}

// ignoreHook checks the form of hooks only.
func ignoreHook(string, hook.Command) {}

// parseHooks calls add for each hook of --hook.
func (r Programs) parseHooks(add func(kind string, command hook.Command)) error {
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

// exposure is what scripts may be able to change of the code that runs outside the sandbox.
type exposure struct {
	scripts  *script.Runner
	possible bool         // scripts can run at all
	all      []unconfined // what was warned about
}

// scriptsCanRun reports whether a script can run at all.
func scriptsCanRun(o Approval, asker approve.Asker) bool {
	switch approve.Mode(o.Mode) {
	case approve.Always:
		return true
	case approve.Never:
		return len(o.Scripts) > 0
	}
	return len(o.Scripts) > 0 || asker != nil
}

// add warns of commands before the first request. Which sandbox scripts get is only known
// when the first one starts; see [exposure.weaker].
func (x *exposure) add(env Env, c unconfined) {
	x.all = append(x.all, c)
	for _, text := range x.warnings([]unconfined{c}, x.scripts.ExpectedSandbox().Name) {
		env.Warn("%s", text)
	}
}

// warnings returns a warning for each command whose code scripts may be able to change in
// a sandbox, if scripts can run.
func (x *exposure) warnings(commands []unconfined, backend string) (warnings []string) {
	if !x.possible {
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

// weaker returns the warnings that the sandbox of the first script adds to those for the
// sandbox that was expected.
func (x *exposure) weaker(ctx context.Context) []string {
	actual, err := x.scripts.TrySandbox(ctx)
	if err != nil || keepsReadOnly(actual.Name) || !keepsReadOnly(x.scripts.ExpectedSandbox().Name) {
		return nil
	}
	known := x.warnings(x.all, sandbox.Bubblewrap)
	return slices.DeleteFunc(x.warnings(x.all, actual.Name), func(text string) bool { return slices.Contains(known, text) })
}

// keepsReadOnly reports whether a sandbox can keep files in the working folder read-only.
func keepsReadOnly(backend string) bool {
	return backend == sandbox.Bubblewrap || backend == sandbox.Seatbelt
}

// userConfig reads the user's own configuration, and returns its path.
func userConfig(r Env) (path string, user config.User, err error) {
	if r.Config == "" {
		return "", user, nil
	}
	path = filepath.Join(r.Config, filepath.FromSlash(config.UserFile))
	user, err = config.LoadUser(path)
	if err != nil {
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
