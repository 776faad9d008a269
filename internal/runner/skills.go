package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/script"
)

// findSkills finds the skills: those of the folders, then the built-in ones,
// which cost nothing before somebody calls them.
func (r *Runner) findSkills(ctx context.Context) error {
	if r.Demo {
		skill, err := builtin.UnitConverter()
		if err != nil {
			return err
		}
		r.source = loader.Memory(skill)
		return nil
	}
	roots, optional := r.Skills, false
	if len(roots) == 0 {
		roots, optional = loader.DefaultRoots(r.Dir, r.Home), true
	}
	for _, root := range roots {
		if _, err := os.Stat(r.absolute(root)); err != nil && !optional {
			return Refuse("check the path and the current directory", "--skills: %s does not exist", root)
		}
	}
	files := loader.Cache(loader.Files(roots, loader.FilesOptions{Optional: optional, Notify: r.Notify}))
	if _, err := files.Skills(ctx); err != nil {
		return err
	}
	sources := []loader.Source{files}
	if !r.NoBuiltin {
		own, err := builtin.Skills(r.Dir)
		if err != nil {
			return err
		}
		sources = append(sources, loader.Memory(own...))
	}
	r.source = loader.Cache(loader.Deduplicate(loader.Aggregate(sources...), r.skillNotice))
	return nil
}

// noScripts says that no script may run, whatever a person would answer.
func (r *Runner) noScripts() bool {
	return skills.Mode(r.Approve) == skills.Never && len(r.AllowScripts) == 0
}

// buildSkills makes the provider of the skills and the policy of their scripts.
// named says that the person names the script, and no model does.
func (r *Runner) buildSkills(template string, named bool) (err error) {
	opt := skills.Options{Source: r.source, Template: template, Mask: r.mask.Text, Notify: r.skillNotice, Runner: r.scripts}
	opt.NoScripts = r.noScripts()
	if r.audit != nil {
		opt.Recorder = r.audit
	}
	if r.provider, err = skills.New(opt); errors.Is(err, prompt.ErrNoPlaceholder) {
		return Refuse("put {skills} where the list of skills goes", "--prompt-template: %w", err)
	} else if err != nil {
		return err
	}
	r.policy, err = skills.NewPolicy(r.provider, skills.PolicyOptions{
		Mode: skills.Mode(r.Approve), Allow: r.AllowScripts, Ask: r.asker(named),
		Dir:        r.Dir,
		Sandbox:    r.scripts.TrySandbox,
		Unseen:     func(s script.Script, args []string) []string { return r.scripts.Unseen(s, args, r.prompt) },
		AllowRead:  r.scripts.AllowReading,
		Unconfined: script.SandboxMode(r.Sandbox) == script.SandboxOff,
	})
	if err != nil {
		return Refuse("write it as SKILL/SCRIPT, such as 'unit-converter/*'", "--allow-script: %w", err)
	}
	return nil
}

// skillNotice prints what a person should know of the skills. That one
// shadows a built-in one is noted when somebody calls it.
func (r *Runner) skillNotice(n loader.Notice) {
	if n.Path != builtin.Origin {
		r.Notify(n)
	}
}

// noteBuiltin notes which skill is meant by a name that a built-in one has too.
func (r *Runner) noteBuiltin(ctx context.Context, names []string) error {
	own, err := builtin.Skills(r.Dir)
	if err != nil {
		return err
	}
	found, err := r.source.Skills(ctx)
	if err != nil {
		return err
	}
	for _, s := range own {
		for _, other := range found {
			if strings.EqualFold(s.Name, other.Name) && other.Origin != s.Origin && containsFold(names, s.Name) {
				fmt.Fprintf(r.Stderr, "note: %s is the skill in %s, not the built-in one\n", printable.Line(other.Name), printable.Line(other.Origin))
			}
		}
	}
	return nil
}

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// offered are the names of the skills that the run's model knows of.
func (r *Runner) offered() []string {
	names := []string{}
	if r.source == nil {
		return names
	}
	found, _ := r.source.Skills(context.Background()) // cached; its error was reported when it was made
	called, _ := skills.Loaded(r.session)
	for _, s := range found {
		if !s.Hidden || containsFold(called, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}
