package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/choice"
	"skills/internal/fault"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// findSkills finds the skills in the folders, and the built-in ones, which cost nothing
// until the user invokes them.
func (r *Runner) findSkills(ctx context.Context) error {
	source := r.Source
	if r.Demo {
		skill, err := builtin.UnitConverter()
		if err != nil {
			return err
		}
		source = loader.Memory(skill)
	}
	if source != nil {
		r.source = loader.Cache(source)
		return nil
	}
	for _, root := range r.Skills {
		flag := "--skills: "
		if r.serves { // the roots are arguments
			flag = ""
		}
		info, err := os.Stat(r.absolute(root))
		if err != nil {
			return fault.Usage("check the path and the current directory", "%s%s does not exist", flag, root)
		}
		if info.IsDir() {
			continue
		}
		if _, err := loader.Resolve(ctx, root, loader.Search{}); err != nil { // a file outside any skill
			return fault.Usage(fault.Hint(err), "%s%w", flag, err)
		}
	}
	files, err := r.fileSource(r.Skills)
	if err != nil {
		return err
	}
	sources := []skills.From{{Source: files}}
	if !r.NoBuiltin {
		own, err := builtin.Skills(r.Dir)
		if err != nil {
			return err
		}
		chosen := loader.Filter(loader.Memory(own...), func(s *loader.Skill) bool {
			_, use := r.chooser.Use("", s.Name)
			return use
		})
		sources = append(sources, skills.From{Source: chosen, Cached: true})
	}
	r.source = skills.Combine(r.skillNotice, sources...)
	if _, err := r.source.Skills(ctx); err != nil {
		return err
	}
	return r.chooser.End(r.announceNote)
}

// roots returns the folders that the user named, or else the default ones.
func (r *Runner) roots(named []string) []string {
	if len(named) > 0 {
		return named
	}
	return loader.DefaultRoots(r.Dir, r.Home)
}

// fileSource returns the skills below these roots that flags and configurations do not
// exclude.
func (r *Runner) fileSource(named []string) (source loader.Source, err error) {
	if r.chooser, err = choice.New(r.Dir, r.Choice, named); err != nil {
		return nil, err
	}
	return loader.Files(r.roots(named), loader.FilesOptions{Optional: len(named) == 0, Choose: r.chooser.Use, Notify: r.printNotice}), nil
}

// printNotice prints a notice about skills: once the run prints, in its output.
func (r *Runner) printNotice(n loader.Notice) {
	if !r.startedPrint {
		r.Notify(n)
		return
	}
	text := strings.TrimPrefix(n.Path+": "+n.Message, ": ")
	if n.Hint != "" {
		text += " (" + n.Hint + ")"
	}
	r.queueEvent(agent.WarningEvent{Message: text})
}

// noScripts reports whether no script may run, regardless of approval.
func (r *Runner) noScripts() bool {
	return skills.Mode(r.Approve) == skills.Never && len(r.AllowScripts) == 0
}

// buildSkills creates the runner of scripts, the provider and the policy. An empty
// template is the default one.
func (r *Runner) buildSkills(template string) (err error) {
	if r.scripts, err = r.ScriptRunner(); err != nil {
		return err
	}
	r.cleanup = append(r.cleanup, r.scripts.Close)
	r.scripts.Protect = append(r.scripts.Protect, r.hookFiles...)
	r.scripts.OnLeft = r.noteLeft
	r.scripts.MoreProtect = func(ctx context.Context) []string {
		return append(r.skillFiles(ctx), git.Client{Env: r.Environ, Untrusted: r.scripts.Untrusted()}.HooksPath(ctx, r.Dir))
	}
	for _, name := range r.PassEnv { // nearly always a typing error
		if _, set := sandbox.Lookup(r.Environ, name); !set && !r.ShowContext {
			r.Warn("--pass-env: %s is not set", name)
		}
	}
	opt := skills.Options{
		Source: r.source, Template: template, Mask: r.mask.Text, Notify: r.skillNotice, Runner: r.scripts, NoScripts: r.noScripts(),
		Dir: r.Dir, Writable: r.scripts.AllowWrite,
	}
	if r.audit != nil {
		opt.Recorder = r.audit
	}
	if r.provider, err = skills.New(opt); errors.Is(err, prompt.ErrNoPlaceholder) {
		return fault.Usage("put {skills} where the list of skills goes", "--prompt-template: %w", err)
	} else if err != nil {
		return err
	}
	r.policy, err = skills.NewPolicy(r.provider, skills.PolicyOptions{
		Mode: skills.Mode(r.Approve), Allow: r.AllowScripts, Ask: r.asker(),
		Dir:         r.Dir,
		Sandbox:     r.scripts.TrySandbox,
		Unseen:      func(s script.Script, args []string) []string { return r.scripts.Unseen(s, args, r.prompt) },
		AllowRead:   r.scripts.AllowReading,
		Unsandboxed: script.SandboxMode(r.Sandbox) == script.SandboxOff,
	})
	if err != nil {
		return badScriptPattern(err)
	}
	return nil
}

func badScriptPattern(err error) error {
	return fault.Usage("write it as SKILL/SCRIPT, such as 'unit-converter/*'", "--allow-script: %w", err)
}

// skillFiles returns the folders of all skills. Of a skill whose folder contains the working
// folder, it returns its SKILL.md and the entries of the working folder that hold its
// scripts, so that scripts can change its data and create files.
func (r *Runner) skillFiles(ctx context.Context) (paths []string) {
	found, _ := r.source.Skills(ctx) // cached; its error was already reported
	work := sandbox.Real(r.Dir)
	for _, s := range found {
		dir := sandbox.Real(s.Dir)
		if !sandbox.Within(work, dir) {
			paths = append(paths, dir)
			continue
		}
		contents, _ := s.Contents(ctx)
		scripts := printable.Map(contents.Scripts, func(x loader.Script) string { return x.Name })
		for _, name := range append(scripts, filepath.Base(s.Location)) {
			if rel, err := filepath.Rel(work, filepath.Join(dir, filepath.FromSlash(name))); err == nil && filepath.IsLocal(rel) {
				top, _, _ := strings.Cut(rel, string(filepath.Separator))
				paths = append(paths, filepath.Join(work, top))
			}
		}
	}
	return paths
}

// skillNotice prints a notice about skills, unless a skill shadows a built-in one.
func (r *Runner) skillNotice(n loader.Notice) {
	if n.Path != builtin.Origin {
		r.printNotice(n)
	}
}

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// offered returns the names of the skills that the model sees.
func (r *Runner) offered() []string {
	names := []string{}
	if r.source == nil {
		return names
	}
	found, _ := r.source.Skills(context.Background()) // cached; its error was already reported
	called, _ := skills.Loaded(r.session)
	for _, s := range found {
		if !s.Hidden || containsFold(called, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// ScriptRunner returns a runner of script files that must be closed. Its error is an
// *fault.Error.
func (r *Runner) ScriptRunner() (*script.Runner, error) {
	s := &script.Runner{
		Dir: r.Dir, Self: r.Self, Env: r.Environ, PassEnv: r.PassEnv,
		Filter:  func(to io.Writer) io.WriteCloser { return r.mask.Writer(to) }, // before output is truncated
		Timeout: r.ScriptTimeout, Sandbox: script.SandboxMode(r.Sandbox), AllowNet: r.AllowNet,
	}
	if r.Cache != "" {
		s.Cache = filepath.Join(r.Cache, "skills", "scripts")
	}
	for _, path := range r.AllowRead {
		path = r.absolute(path)
		if _, err := os.Stat(path); err != nil {
			return nil, fault.Usage("check the path and the current directory", "--allow-read: %s does not exist", path)
		}
		if _, err := sandbox.CheckRead(path); err != nil && s.Sandbox != script.SandboxOff {
			return nil, fault.Usage("name a narrower folder, or pass --sandbox off", "--allow-read: %w", err)
		}
		s.AllowRead = append(s.AllowRead, path)
	}
	for _, dir := range r.AllowWrite {
		path := r.absolute(dir)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, fault.Usage("check the path and the current directory", "--allow-write: %s is not a folder", dir)
		}
		if err := s.CheckWrite(path); err != nil && s.Sandbox != script.SandboxOff {
			return nil, fault.Usage("name a narrower folder, or pass --sandbox off", "--allow-write: %w", err)
		}
		s.AllowWrite = append(s.AllowWrite, path)
	}
	// Scripts must not change skills, nor see what the run records.
	for _, root := range r.roots(r.Skills) {
		if path := r.absolute(root); path != filepath.Clean(r.Dir) {
			s.Protect = append(s.Protect, path)
		}
	}
	for _, file := range []string{r.EnvFile, r.Session, r.Record, r.Replay, r.Audit} {
		if file != "" {
			s.Private = append(s.Private, r.absolute(file), sandbox.Real(r.absolute(file))) // the user may name a link
		}
	}
	return s, nil
}

// notEnforced describes what the sandbox does not enforce, or "" if it is off.
func (r *Runner) notEnforced(ctx context.Context) string {
	c, err := r.scripts.TrySandbox(ctx)
	switch {
	case err != nil || len(c.NotEnforced) == 0 || r.scripts.Sandbox == script.SandboxOff:
		return ""
	case c.Name == sandbox.None:
		return "scripts run without a sandbox: " + strings.Join(c.NotEnforced, "; ")
	}
	return "scripts run in the sandbox of " + c.Name + "; not enforced: " + strings.Join(c.NotEnforced, "; ")
}
