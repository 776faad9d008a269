package eval

// The plan of an eval: two arms, with the skill and without it or with an older one, and
// runs that alternate between them. A run with the same key as a stored one is not
// repeated.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/agent"
	"skills/internal/builtin"
	"skills/internal/choice"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/printable"
)

// protocol is part of every key: it is increased when equal runs would differ.
const protocol = 2 // since 2, results have the action

// arm is one side of a comparison.
type arm struct {
	configuration string   // of package store
	files         snapshot // the skill and those of --with, below their names
	digest        string   // of the files, and of active
	active        []string // the skill if only the user invokes it: a run loads it at its start
	source        loader.Source
	hide          []string // patterns of files that runs do not offer
	secret        []string // lines that no tool may return: those of a part that is left out
}

// planner plans the runs of an eval.
type planner struct{ *Eval }

// baseline splits the value of --baseline.
func baseline(value string) (kind, rest string) {
	if kind, rest, ok := strings.Cut(value, ":"); ok {
		return kind + ":", rest
	}
	return value, ""
}

// arms reads the skills of both arms.
func (p planner) arms(ctx context.Context, s *skillEval) error {
	skill, err := readSkill(s.suite.Dir)
	if err != nil {
		return err
	}
	s.arms = []*arm{{configuration: store.WithSkill, files: skill}}
	kind, rest := baseline(p.o.Baseline)
	switch kind {
	case Without:
		s.arms = append(s.arms, &arm{configuration: store.WithoutSkill, files: snapshot{}})
	case "dir:", "ref:":
		old, err := p.oldSkill(ctx, s, kind, rest)
		if err != nil {
			return err
		}
		s.arms = append(s.arms, &arm{configuration: store.OldSkill, files: old})
	}
	if p.o.Stored != "" { // whatever the baseline of the runs was
		s.arms = append(s.arms, &arm{configuration: store.OldSkill, files: snapshot{}})
	}
	hide, err := p.hidden(s.suite.Dir)
	if err != nil {
		return err
	}
	for i, a := range s.arms {
		a.hide = hide
		place := s.suite.Dir
		if i > 0 {
			place = p.o.Baseline
		}
		if err := p.checkSkill(ctx, a, place); err != nil {
			return err
		}
	}
	shared, err := p.siblings(ctx, s)
	if err != nil {
		return err
	}
	if err := s.readInputs(); err != nil {
		return err
	}
	if err := s.findSecrets(shared); err != nil {
		return err
	}
	scripts := func(name string) bool { return strings.Contains(name, "/scripts/") }
	denied := p.o.Run.Approval.Mode == "never" && len(p.o.Run.Approval.Scripts) == 0 && p.o.Stored == ""
	if name := s.suite.Skill; denied && slices.ContainsFunc(slices.Collect(maps.Keys(skill)), scripts) {
		p.o.Note("the scripts of " + name + " are not run; pass --allow-script " + printable.ShellWord(name+"/*") + " to allow it")
	}
	return p.complete(s, shared)
}

// siblings reads the skills that both arms have.
func (p planner) siblings(ctx context.Context, s *skillEval) (snapshot, error) {
	if len(p.o.With) == 0 {
		return snapshot{}, nil
	}
	siblings, err := choose(ctx, p.Eval, p.o.With, choice.Options{NoConfig: p.o.Run.Skills.Choice.NoConfig})
	if err != nil {
		return nil, err
	}
	shared := snapshot{}
	for _, dir := range siblings {
		if filepath.Base(dir) == filepath.Base(s.suite.Dir) {
			continue
		}
		other, err := readSkill(dir)
		if err != nil {
			return nil, err
		}
		_, notices, err := p.loadSkill(ctx, other, dir)
		if err != nil {
			return nil, err
		}
		p.notify(notices)
		maps.Copy(shared, other)
	}
	return shared, nil
}

// complete sets the digest of an arm that has all its files.
func (a *arm) complete() {
	a.digest = digest(a.files)
	if len(a.active) > 0 {
		a.digest = digest([]any{a.files, a.active})
	}
	if len(a.hide) > 0 && len(a.files) > 0 {
		a.digest = digest([]any{a.digest, "hide", a.hide})
	}
}

// complete adds the files of other skills to the arms, and where their skills are from.
func (p planner) complete(s *skillEval, shared snapshot) error {
	for _, a := range s.arms {
		maps.Copy(a.files, shared)
		a.complete()
		if p.o.Demo || len(a.files) == 0 { // the demo's skill is not in files
			a.source = loader.Memory()
		}
	}
	if p.o.Demo {
		converter, err := builtin.UnitConverter()
		s.arms[0].source = loader.Memory(converter)
		return err
	}
	return nil
}

// checkSkill returns a usage error if runs cannot load the skill of an arm, which is at
// place. If only the user invokes it, runs load it at their start.
func (p planner) checkSkill(ctx context.Context, a *arm, place string) error {
	if p.o.Demo || p.o.Stored != "" || len(a.files) == 0 {
		return nil // the demo's skill is not in files, and stored runs need none
	}
	skill, notices, err := p.loadSkill(ctx, a.files, place)
	if err != nil {
		return err
	}
	if skill == nil {
		hint := notices[0].Hint
		if strings.HasPrefix(place, "ref:") {
			hint = "name a revision in which it can be loaded"
		}
		return fault.Usage(hint, "%s: %s", notices[0].Path, notices[0].Message)
	}
	p.notify(notices)
	if skill.Hidden {
		a.active = []string{skill.Name}
		p.o.Note("the model does not see " + skill.Name + " (disable-model-invocation); runs with it load it at their start")
	}
	return nil
}

// notify reports notices about skills, whose copies are not mentioned again by runs.
func (p planner) notify(notices []loader.Notice) {
	for _, n := range notices {
		p.env.Notify(n)
	}
}

// oldSkill returns the skill in another folder or revision.
func (p planner) oldSkill(ctx context.Context, s *skillEval, kind, rest string) (old snapshot, err error) {
	if kind == "dir:" {
		found, err := choose(ctx, p.Eval, []string{p.absolute(rest)}, choice.Options{NoConfig: true})
		if err != nil || len(found) != 1 {
			return nil, fault.Usage("name the folder of one skill", "--baseline %s is not a skill", p.o.Baseline)
		}
		return readSkill(found[0])
	}
	archive, err := git.Client{Env: p.env.Environ, Untrusted: []string{p.env.Dir}}.Archive(ctx, s.suite.Dir, rest)
	if err != nil {
		return nil, fault.AsUsageIfHinted(fmt.Errorf("--baseline: %w", err))
	}
	return readTar(archive, filepath.Base(s.suite.Dir)+"/")
}

// isReplay reports whether runs are recorded or stored ones, which need no server.
func (e *Eval) isReplay() bool { return e.o.Offline || e.o.Stored != "" }

// runs lists the runs so that the arms alternate, and that a budget leaves all cases
// with the same number of runs. A case that a replayed iteration lacks is one run, which
// fails.
func (p planner) runs(ctx context.Context, s *skillEval) error {
	stored, most := map[string]store.Run{}, 1
	if p.isReplay() {
		runs, meta, err := store.Read(s.dir)
		if err != nil {
			return fault.AsUsageIfHinted(err)
		}
		s.meta, s.meta.Notes, most = meta, nil, meta.Runs
		for _, r := range runs {
			stored[r.Dir] = r
		}
	}
	rel, err := filepath.Rel(s.dir, s.suite.Dir)
	if err != nil {
		return err
	}
	if !p.isReplay() {
		s.meta.Partial = s.partial
	}
	s.meta.Skill, s.meta.SkillPath = s.suite.Skill, filepath.ToSlash(rel)
	for number := 1; number <= most; number++ {
		for i := range s.suite.Cases {
			c := &s.suite.Cases[i]
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !p.isReplay() {
				most = max(most, c.Runs)
			}
			arms := slices.Clone(s.arms)
			if (i+number)%2 == 0 {
				slices.Reverse(arms)
			}
			for _, a := range arms {
				r := s.newRun(c, a, number)
				wanted := number <= c.Runs
				if p.isReplay() {
					old, found := stored[r.out.Dir]
					wanted = found || number == 1 && p.o.Offline
					r.out.Timing, r.stored = old.Timing, r.out.Dir
				}
				if !wanted || len(a.checks(c)) == 0 {
					continue
				}
				if !p.isReplay() {
					r.key = p.key(r)
					s.find(r)
				}
				s.runs = append(s.runs, r)
			}
		}
	}
	return nil
}

// newRun returns a run that is not planned yet.
func (s *skillEval) newRun(c *suite.Case, a *arm, number int) *caseRun {
	dir := filepath.Join(s.dir, c.Slug, a.configuration, "run-"+strconv.Itoa(number))
	return &caseRun{c: c, arm: a, inputs: s.inputs[c], out: store.Run{
		Case: c.ID, Name: c.Name, Slug: c.Slug, Configuration: a.configuration, Number: number, Dir: dir, Prompt: c.Said(c.Prompt),
	}}
}

// resolve completes the settings of a case with the flags and their defaults.
func (p planner) resolve(c *suite.Case) {
	o := p.o.Run
	c.MaxTurns, c.Timeout = cmp.Or(c.MaxTurns, o.Limits.Turns), cmp.Or(c.Timeout, o.Limits.Timeout)
	flag := o.Server.Model
	if flag != "" && p.server.Name != "" {
		flag = p.server.Model // without the name of its server
	}
	c.Model = cmp.Or(flag, c.Model, p.server.Model)
	c.Runs = cmp.Or(p.o.Runs, c.Runs, DefaultRuns)
}

// checks returns the assertions of a case that hold for the arm.
func (a *arm) checks(c *suite.Case) []suite.Check {
	return slices.DeleteFunc(slices.Clone(c.Checks), func(check suite.Check) bool {
		return check.Arm == suite.With && a.configuration != store.WithSkill
	})
}

// prompt returns what the user says in the arm.
func (a *arm) prompt(c *suite.Case) string {
	if a.configuration == store.WithSkill {
		return c.Prompt
	}
	return cmp.Or(c.Baseline, c.Prompt)
}

// excluded reports whether --case or --tag excludes a case.
func (e *Eval) excluded(c suite.Case) bool {
	matches := func(patterns []string, names ...string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(names, func(name string) bool { return loader.MatchName(patterns, name) })
	}
	return !matches(e.o.Cases, c.ID, c.Name) || !matches(e.o.Tags, c.Tags...)
}

// find looks for a complete run with the same key.
func (s *skillEval) find(r *caseRun) {
	for _, dir := range s.stored {
		dir += strings.TrimPrefix(r.out.Dir, s.dir)
		var t store.Timing
		if err := store.Load(filepath.Join(dir, store.TimingFile), &t); err == nil && t.Key == r.key {
			r.stored, r.out.Timing = dir, t
			return
		}
	}
}

// key returns the digest of everything that a run depends on.
func (e *Eval) key(r *caseRun) string {
	o := e.o.Run
	params, err := e.server.Params(o.Request.Params)
	if err != nil {
		params = o.Request.Params // every run fails
	}
	all := []any{
		protocol, r.out.Number, r.arm.digest, r.arm.prompt(r.c), r.c.System, r.inputs, r.c.MaxTurns, r.c.Model, e.server.BaseURL,
		params, o.Limits.ToolCalls, o.Limits.Repeats, o.Approval.Yes || o.Approval.Mode == "always", o.Approval.Scripts,
		o.Scripts.Sandbox, o.Scripts.AllowNet, o.Scripts.AllowRead, o.Scripts.AllowWrite, o.Scripts.PassEnv, o.Programs.Hooks,
		o.Limits.Failures, o.Scripts.Timeout, o.Programs.HookTimeout, r.c.Timeout,
	}
	groups := offeredTools(r.c)
	if len(groups) > 0 { // stored runs of other cases are still equal
		all = append(all, groups, o.Approval.Commands)
	}
	if mode := o.Request.ToolCalls; mode != "" && mode != agent.CallsAuto {
		all = append(all, "tool-calls", mode)
	}
	if len(r.c.Turns) > 0 {
		all = append(all, "turns", r.c.Turns)
	}
	if o.Scripts.Runner != "" {
		all = append(all, "runner", o.Scripts.Runner)
	}
	return digest(all)
}
