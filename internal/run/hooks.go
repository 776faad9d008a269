package run

// Hooks and MCP servers are programs of the user that run outside the sandbox, so a script
// that could change their code could escape. Their files are protected, and the user is
// warned of what the sandbox of the first script does not protect.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/lint/config"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/suggest"
)

const maxHookAnswer = 1 << 20

// hooks are the user's programs around tool calls and the run.
type hooks struct {
	*hook.Hooks          // nil without hooks
	protect     []string // code of hooks that scripts could write to
	commands    *hook.PinnedRunner
}

// loadHooks reads the hooks of --hook and of the user's own configuration.
func loadHooks(env Env, o Options, h hook.Options) (hooks, error) {
	h.Hooks, h.Dir = map[string][]hook.Command{}, env.Dir
	if o.Files.Session != "" {
		h.Session = env.absolute(o.Files.Session)
	}
	var all []hook.Command
	add := func(kind string, command hook.Command) {
		kinds := []string{kind}
		if kind == hook.Every {
			kinds = hook.Kinds()
		}
		for _, kind := range kinds {
			h.Hooks[kind] = append(h.Hooks[kind], command)
		}
		all = append(all, command)
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
	if err == nil && h.Protocol == hook.AgentHooks && len(all) == 0 {
		err = fault.Usage("name one with --hook every=COMMAND", "--hook-protocol agent-hooks: there is no hook to decide")
	}
	if err != nil || len(all) == 0 {
		return hooks{}, err
	}
	runner := &script.Runner{Dir: env.Dir, Env: env.Environ, AllowWrite: writable(env, o.Scripts)[1:], Timeout: o.Programs.HookTimeout, OutputLimit: maxHookAnswer}
	for _, command := range all {
		err := script.Startable(runner, command.Words)
		if err != nil {
			return hooks{}, fault.Usage("install it, or check the path and the PATH", "the hook %s: %w", command.Text, err)
		}
	}
	pinned := hook.NewPinnedRunner(runner, env.Dir, writable(env, o.Scripts), all...)
	h.Runner, h.Trusted = pinned, trust(user.TrustedHooks, pinned)
	return hooks{Hooks: hook.New(h), protect: pinned.Protect(), commands: pinned}, nil
}

// trust returns the function that says why a hook may not approve calls: it must be one
// that the user's configuration lists, and scripts must not be able to change it.
func trust(list []config.Entry, commands *hook.PinnedRunner) func(hook.Command) string {
	return func(c hook.Command) string {
		if !slices.ContainsFunc(list, func(e config.Entry) bool { return strings.TrimSpace(e.Text) == c.Text }) {
			return "it allows a call, but your configuration does not list it under trusted-hooks"
		}
		for _, e := range commands.Exposed() {
			if e.Command == c.Text {
				return "it allows a call, but scripts may be able to change it: " + e.Reason
			}
		}
		return ""
	}
}

// writable returns the folders that scripts can write to.
func writable(env Env, o Scripts) []string {
	return append([]string{env.Dir}, printable.Map(o.AllowWrite, env.absolute)...)
}

// ignoreHook checks the form of hooks only.
func ignoreHook(string, hook.Command) {}

// parseHooks calls add for each hook of --hook.
func (r Programs) parseHooks(add func(kind string, command hook.Command)) error {
	form := "write it as before='PROGRAM ARGUMENT...', or with " + strings.Join(hook.Kinds()[1:], ", ") + " or " + hook.Every
	if r.HookProtocol != "" && !slices.Contains(hook.Protocols(), r.HookProtocol) {
		return fault.Usage(suggest.Hint(r.HookProtocol, hook.Protocols(), ""), "unknown value %q of --hook-protocol", r.HookProtocol)
	}
	for _, text := range r.Hooks {
		when, line, _ := strings.Cut(text, "=")
		if !slices.Contains(append(hook.Kinds(), hook.Every), when) {
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

// warnOf warns, before the first request, of commands that run outside the sandbox: of
// entries of PATH that they do not get, and of those whose code scripts may be able to
// change, if scripts can run or have run.
func (p *Parts) warnOf(kind string, commands *hook.PinnedRunner) {
	if !p.pathWarned {
		WarnOfPath(p.Env, p.Scripts, "hooks and MCP servers")
		p.pathWarned = true
	}
	if !scriptsCanRun(p.Options.Approval, p.asker) && !p.Env.scriptsRan() {
		return
	}
	for _, e := range commands.Exposed() {
		p.Env.Warn("scripts may be able to change what the %s %s runs or uses: %s (%s)", kind, printable.Line(e.Command), e.Reason, e.Advice)
	}
}

// WarnOfPath names the entries of PATH that programs of the user's do not get; of is what
// these programs are.
func WarnOfPath(env Env, scripts *script.Runner, of string) {
	_, dropped := scripts.TrustedPath()
	if len(dropped) == 0 {
		return
	}
	names := printable.Map(dropped, func(entry string) string { return printable.Truncate(strconv.Quote(entry), 100) })
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	env.Warn("the PATH of %s is used without %s: scripts may be able to put programs there", of, strings.Join(names, ", "))
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
	if err == nil && isRelative(command.Words[0]) {
		err = errRelative
	}
	return command, err
}

var errRelative = errors.New("its path must be absolute")

// isRelative reports whether a program is a file of the current folder, which may be a
// repository.
func isRelative(program string) bool {
	return filepath.Base(program) != program && !filepath.IsAbs(program)
}

// HookKinds are the values of --hook up to the command.
func HookKinds() []string {
	return printable.Map(append(hook.Kinds(), hook.Every), func(kind string) string { return kind + "=" })
}
