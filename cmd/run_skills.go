package cmd

import (
	"context"
	"fmt"
	"os"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/script"
)

// planSkills finds the skills: those of the folders, then the built-in ones,
// which cost nothing before somebody calls them.
func (a *app) planSkills(ctx context.Context, f runFlags, _ []string, p *plan) error {
	if f.demo {
		skill, err := builtin.UnitConverter()
		if err != nil {
			return err
		}
		p.sources = []loader.Source{loader.Memory(skill)}
		return nil
	}
	roots, optional := f.skills, false
	if len(roots) == 0 {
		roots, optional = loader.DefaultRoots(a.Dir, a.Home), true
	}
	for _, root := range roots {
		if _, err := os.Stat(a.absolute(root)); err != nil && !optional {
			return wrongUsage("check the spelling, and the folder this was started in", "--skills: %s does not exist", root)
		}
	}
	files := loader.Cache(loader.Files(roots, loader.FilesOptions{Optional: optional, Notify: a.notice}))
	if _, err := files.Skills(ctx); err != nil {
		return err
	}
	p.sources = []loader.Source{files}
	if !f.noBuiltin {
		own, err := builtin.Skills(a.Dir)
		if err != nil {
			return err
		}
		p.sources = append(p.sources, loader.Memory(own...))
	}
	p.source = loader.Cache(loader.Deduplicate(loader.Aggregate(p.sources...), a.skillNotice))
	return nil
}

// buildSkills makes the provider of the skills and the policy of their scripts.
func (a *app) buildSkills(f runFlags, p *plan, template string, runner skills.Runner) (*skills.Policy, error) {
	parts := skills.Parts{
		Sources: p.sources, Runner: runner, Template: template, Mask: a.mask.Text,
		Notify: a.skillNotice,
		Policy: skills.PolicyOptions{
			Mode: skills.Mode(f.approve), Allow: f.allowScripts, Ask: a.prompter(false).Ask(),
			Trusted: func(*loader.Skill) bool { return f.demo && f.approve != string(skills.Never) },
			Dir:     a.Dir, Sandbox: p.trySandbox, Unconfined: script.SandboxMode(f.sandbox) == script.SandboxOff,
		},
	}
	if p.audit != nil {
		parts.Recorder = p.audit
	}
	built, err := skills.Build(parts)
	if err != nil {
		return nil, err
	}
	p.source, p.provider = built.Source, built.Provider
	return built.Policy, nil
}

// prompter asks for approvals; named says that the person named the script.
func (a *app) prompter(named bool) runner.Prompter {
	hold := func() func() { a.status.Hold(); return a.status.Release }
	return runner.Prompter{Stdin: a.Stdin, Stderr: a.Stderr, Hold: hold, Mask: a.mask.Text, Named: named}
}

// skillNotice prints what a person should know of the skills. That one stands in
// the place of a built-in one is told when somebody calls it.
func (a *app) skillNotice(n loader.Notice) {
	if n.Path != builtin.Origin {
		a.notice(n)
	}
}

// tellBuiltin notes which skill is meant by a name that a built-in one has too.
func (a *app) tellBuiltin(ctx context.Context, p *plan, names []string) error {
	own, err := builtin.Skills(a.Dir)
	if err != nil {
		return err
	}
	found, err := p.source.Skills(ctx)
	if err != nil {
		return err
	}
	for _, s := range own {
		for _, other := range found {
			if strings.EqualFold(s.Name, other.Name) && other.Origin != s.Origin && containsFold(names, s.Name) {
				fmt.Fprintf(a.Stderr, "note: %s is the skill in %s, not the built-in one\n", printable.Line(other.Name), printable.Line(other.Origin))
			}
		}
	}
	return nil
}

func containsFold(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// offered are the names of the skills that the run's model knows of.
func (p *plan) offered() []string {
	names := []string{}
	if p.source == nil {
		return names
	}
	found, _ := p.source.Skills(context.Background()) // cached; its error was told when it was made
	called, _ := skills.Loaded(p.session)
	for _, s := range found {
		if !s.Hidden || containsFold(called, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// hinted makes wrong usage of an error that knows what to do; others stay.
func hinted(err error) error {
	if hint := hintOf(err); hint != "" {
		return &failure{exitUsage, err, hint}
	}
	return err
}
