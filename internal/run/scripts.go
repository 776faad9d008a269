package run

// Scripts are offered to the model together with the decision on them: the runner, the
// provider of skills and the policy are created with the same folders and the same sandbox.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/prompt"
	"skills/internal/redact"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// NewScripts returns a runner of script files, which must be closed. Its error is a
// *fault.Error.
func NewScripts(env Env, o Options, mask *redact.Masker) (*script.Runner, error) {
	s := &script.Runner{
		Dir: env.Dir, Self: env.Self, Env: env.Environ, PassEnv: o.Scripts.PassEnv,
		Callbacks: script.Callbacks{Filter: func(to io.Writer) io.WriteCloser { return mask.Writer(to) }}, // before output is truncated
		Timeout:   o.Scripts.Timeout, Sandbox: script.SandboxMode(o.Scripts.Sandbox), AllowNet: o.Scripts.AllowNet,
	}
	if env.Cache != "" {
		s.Cache = filepath.Join(env.Cache, "skills", "scripts")
	}
	err := grantFolders(s, env, o.Scripts)
	if err != nil {
		return nil, err
	}
	// Scripts must not change skills, nor see what the run records.
	for _, root := range roots(env, o.Skills.Roots) {
		path := env.absolute(root)
		if path != filepath.Clean(env.Dir) {
			s.Protect = append(s.Protect, path)
		}
	}
	for _, file := range []string{o.Server.EnvFile, o.Files.Session, o.Files.Record, o.Files.Replay, o.Files.Audit} {
		if file != "" {
			s.Private = append(s.Private, env.absolute(file), sandbox.Real(env.absolute(file))) // the user may name a link
		}
	}
	return s, nil
}

// grantFolders adds the folders of --allow-read and --allow-write.
func grantFolders(s *script.Runner, env Env, o Scripts) error {
	for _, path := range o.AllowRead {
		path = env.absolute(path)
		_, err := os.Stat(path)
		if err != nil {
			return fault.Usage("check the path and the current directory", "--allow-read: %s does not exist", path)
		}
		_, err = sandbox.CheckRead(path, env.Home)
		if err != nil && s.Sandbox != script.SandboxOff {
			return fault.Usage(grantHint(err), "--allow-read: %w", err)
		}
		s.AllowRead = append(s.AllowRead, path)
	}
	for _, dir := range o.AllowWrite {
		path := env.absolute(dir)
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			return fault.Usage("check the path and the current directory", "--allow-write: %s is not a folder", dir)
		}
		err = s.CheckWrite(path)
		if err != nil && s.Sandbox != script.SandboxOff {
			return fault.Usage(grantHint(err), "--allow-write: %w", err)
		}
		s.AllowWrite = append(s.AllowWrite, path)
	}
	return nil
}

// grantHint says what helps when a folder cannot be given to scripts.
func grantHint(err error) string {
	link, ok := errors.AsType[*sandbox.LinkError](err)
	if ok {
		return "if you trust the link, name " + link.Real + " instead, or pass --sandbox off"
	}
	return "name a narrower folder, or pass --sandbox off"
}

// offer is what runs the scripts of skills, offers them to a model and decides on them.
type offer struct {
	scripts   *script.Runner
	provider  *skills.Provider
	policy    *approve.Policy
	elsewhere *elsewhere // or nil
}

// needs is what an offer depends on.
type needs struct {
	mask     *redact.Masker
	found    Skills
	notes    *notes
	asker    approve.Asker
	template string          // "" for the default one
	recorder skills.Recorder // may be nil
	protect  []string        // files that scripts must not change
	prompt   func() string   // may name files
	left     func(s script.Script, left []script.Leftover)
	around   func() (end func()) // called before a script, see [script.Runner.Around]
	loaded   func(s *loader.Skill, c loader.Contents)
}

// offerSkills creates the runner of scripts, the provider and the policy.
func offerSkills(env Env, o Options, n needs) (offer, error) {
	scripts, err := NewScripts(env, o, n.mask)
	if err != nil {
		return offer{}, err
	}
	out := offer{scripts: scripts}
	scripts.OnLeft, scripts.Around = n.left, n.around
	scripts.Protect = append(scripts.Protect, n.protect...)
	scripts.MoreProtect = func(ctx context.Context) []string {
		return append(n.found.protected(ctx, env), git.Client{Env: env.Environ, Untrusted: scripts.Untrusted()}.HooksPath(ctx, env.Dir))
	}
	for _, name := range o.Scripts.PassEnv { // nearly always a typing error
		_, set := sandbox.Lookup(env.Environ, name)
		if !set && !o.Preview {
			env.Warn("--pass-env: %s is not set", name)
		}
	}
	var runner skills.Runner = scripts
	tried := trySandbox(scripts)
	if o.Scripts.Runner != "" {
		out.elsewhere, err = newElsewhere(env, o, scripts)
		if err != nil {
			return out, err
		}
		runner, tried = out.elsewhere, out.elsewhere.try
		scripts.Protect = append(scripts.Protect, out.elsewhere.pinned.Protect()...)
	}
	out.provider, err = skills.New(skills.Options{
		Source: n.found.Source, Template: n.template, Mask: n.mask.Text, Notify: n.notes.skillNotice, Runner: runner, NoScripts: o.Approval.none(), AskToRead: o.Approval.Load,
		Recorder: n.recorder, OnLoad: n.loaded, Trusted: o.Approval.Trusted, Listed: o.Serves,
		Scripts: skills.Confinement{
			Dir: env.Dir, Writable: scripts.AllowWrite, Sandbox: tried, AllowRead: scripts.AllowReading,
			Unseen:  func(s script.Script, args []string) []string { return scripts.Unseen(s, args, n.prompt()) },
			History: func() bool { return scripts.Lines },
		},
	})
	switch {
	case errors.Is(err, prompt.ErrNoPlaceholder):
		return out, fault.Usage("put {skills} where the list of skills goes", "--prompt-template: %w", err)
	case err != nil:
		return out, err
	}
	out.policy, err = newPolicy(o, n.asker)
	return out, err
}

// newPolicy returns the policy that decides on scripts and on tools of MCP servers.
func newPolicy(o Options, asker approve.Asker) (*approve.Policy, error) {
	var err error
	opt := approve.Options{
		Mode: approve.Mode(o.Approval.Mode), Ask: asker, Trusted: o.Approval.Trusted, Unsandboxed: script.SandboxMode(o.Scripts.Sandbox) == script.SandboxOff,
	}
	for _, text := range o.Approval.Scripts {
		pattern, err := approve.ParsePattern(text, "skill", "script")
		if err != nil {
			return nil, badScriptPattern(err)
		}
		opt.Scripts = append(opt.Scripts, pattern)
	}
	for _, text := range o.Approval.Tools {
		pattern, err := approve.ParsePattern(text, "server", "tool")
		if err != nil {
			return nil, fault.AsUsage(fmt.Errorf("--allow-tool: %w", err))
		}
		opt.Tools = append(opt.Tools, pattern)
	}
	for _, text := range o.Approval.Commands {
		pattern, err := approve.ParseCommandPattern(text)
		if err != nil {
			return nil, fault.AsUsage(fmt.Errorf("--allow-command: %w", err))
		}
		opt.Commands = append(opt.Commands, pattern)
	}
	for _, text := range o.Approval.Edits {
		pattern, err := approve.ParseEditPattern(text)
		if err != nil {
			return nil, fault.AsUsage(fmt.Errorf("--allow-edit: %w", err))
		}
		opt.Edits = append(opt.Edits, pattern)
	}
	opt.Keeps = o.Files.Session != "" && !o.Preview
	opt.Answers, err = o.Approval.answers()
	if err != nil {
		return nil, err
	}
	return approve.New(opt)
}

func badScriptPattern(err error) error {
	return fault.Usage("write it as SKILL/SCRIPT, such as 'unit-converter/*'", "--allow-script: %w", err)
}

// trySandbox returns the function that tries the sandbox of scripts.
func trySandbox(scripts *script.Runner) func(ctx context.Context) (agent.Sandbox, error) {
	return func(ctx context.Context) (agent.Sandbox, error) {
		status, err := scripts.TrySandbox(ctx)
		return agent.Sandbox{Name: status.Name, NotEnforced: status.NotEnforced}, err
	}
}

// NotEnforced describes what the sandbox does not enforce, or returns "" if it is off.
func NotEnforced(ctx context.Context, scripts *script.Runner) string {
	status, err := scripts.TrySandbox(ctx)
	if err != nil || len(status.NotEnforced) == 0 || scripts.Sandbox == script.SandboxOff {
		return ""
	}
	if status.Name == sandbox.None {
		return "scripts run without a sandbox: " + strings.Join(status.NotEnforced, "; ")
	}
	return "scripts run in the sandbox of " + status.Name + "; not enforced: " + strings.Join(status.NotEnforced, "; ")
}
