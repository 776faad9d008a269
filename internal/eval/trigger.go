package eval

// Whether the model loads a skill when it should is measured with prompts that should load
// it, and prompts that should not, in the catalogue of a client. A control that asks for
// the skill by name shows whether the measurement works.

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/clients"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/lint"
	"skills/internal/list"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/spec"
)

const triggerTurns = 3 // in which the skill has to be loaded

// TriggerOptions are the flags of eval trigger that no other eval has.
type TriggerOptions struct {
	Queries string          // a list in place of the skill's own, or ""
	Client  *clients.Client // shortens the catalogue; nil: not at all
	Suggest bool            // search for a better description if a query fails
}

// Trigger measures whether the model loads a skill when it should, and only then.
type Trigger struct {
	TriggerOptions
	e       *Eval
	s       *skillEval // its runs
	dir     string     // of the skill
	skill   *spec.Document
	queries []suite.Query
	folders []string // names of the catalogue's folders, the skill's first
	skills  snapshot // in these folders

	name, description string
	stopped           string // the budget that ended the recorded measurement, or ""
}

// OpenTriggers prepares a measurement of each skill in the paths that has queries, or of
// all with those in a file. The Eval must be closed after it.
func OpenTriggers(ctx context.Context, env run.Env, o Options, only TriggerOptions) (*Eval, []*Trigger, error) {
	if strings.Contains(o.Run.Server.Model, ",") {
		return nil, nil, fault.Usage("measure one model at a time", "--model %s: triggers are not measured with several models", o.Run.Server.Model)
	}
	o.Baseline, o.JudgeVotes = "none", 1
	env.Notify = func(loader.Notice) {} // of every run
	var found []loader.Found
	var all []*Trigger
	e, err := open(ctx, env, o)
	if err == nil {
		found, err = lint.Find(ctx, loader.Search{}, e.o.Paths)
	}
	for _, f := range found {
		t := &Trigger{TriggerOptions: only, e: e, dir: f.Real, skill: loader.OpenDocument(f)}
		opened := t.open(ctx)
		err = cmp.Or(err, opened)
		if len(t.queries) > 0 {
			t.s = &skillEval{suite: &suite.Suite{Skill: t.name, Dir: t.dir}, triggers: true}
			all, e.skillEvals = append(all, t), append(e.skillEvals, t.s)
		}
	}
	if err == nil && len(all) == 0 {
		err = fault.Usage("write evals/triggers.json, or name a list with --queries", "no queries found")
	}
	if err == nil {
		err = e.findServer(ctx)
	}
	if err == nil {
		err = e.o.Budget.check()
	}
	for _, t := range all {
		if err == nil {
			err = t.plan(ctx)
		}
	}
	if err != nil {
		e.Close()
		return nil, nil, fault.AsUsageIfHinted(err)
	}
	if e.shard.count > 0 {
		all = shardOf(e, all)
	}
	return e, all, nil
}

// shardOf leaves the skills that are this shard's. Each is measured as a whole, with its
// control, so that nothing has to be joined.
func shardOf(e *Eval, all []*Trigger) (own []*Trigger) {
	weights := make([]int, len(all))
	for i, t := range all {
		weights[i] = len(t.s.runs)
	}
	e.skillEvals = nil
	for i, part := range distribute(weights, e.shard.count) {
		if part == e.shard.number {
			own, e.skillEvals = append(own, all[i]), append(e.skillEvals, all[i].s)
		}
	}
	return own
}

// open reads the queries and the skills of the catalogue.
func (t *Trigger) open(ctx context.Context) error {
	s, problems, err := suite.Load(ctx, t.dir)
	if t.Queries != "" { // in place of the skill's own
		s, problems, err = suite.LoadQueries(ctx, t.Queries)
		if err != nil {
			return fault.Usage("check the path and its permissions", "--queries: %w", err)
		}
	}
	if err == nil {
		err = firstError(problems)
	}
	if err != nil || len(s.Queries) == 0 {
		return err
	}
	t.queries = s.Queries
	t.name, t.description = t.skill.Text("name"), t.skill.Text("description")
	if t.name == "" || t.description == "" {
		return fault.Usage("run skills validate "+t.dir, "%s has no name or no description", t.dir)
	}
	roots, search := t.e.o.With, loader.Search{}
	if len(roots) == 0 {
		roots, search.Depth = []string{filepath.Dir(t.dir)}, 1
	}
	t.skills = snapshot{}
	siblings, err := lint.Find(ctx, search, roots)
	for _, f := range append([]loader.Found{{Real: t.dir}}, siblings...) {
		folder := filepath.Base(f.Real)
		if slices.Contains(t.folders, folder) {
			continue
		}
		skill, rerr := readSkill(f.Real)
		err = cmp.Or(err, rerr)
		t.folders = append(t.folders, folder)
		maps.Copy(t.skills, skill)
	}
	return err
}

// describe gives one of the skills another description.
func (f snapshot) describe(skill, description string) {
	for name := range f {
		if strings.EqualFold(name, skill+"/"+spec.FileName) {
			f[name] = file{0o644, describe(f[name].Data, description)}
		}
	}
}

// catalogue returns the skills as the client shows them, with a description of the skill.
func (t *Trigger) catalogue(ctx context.Context, description string) (snapshot, error) {
	shown := maps.Clone(t.skills)
	shown.describe(t.folders[0], description)
	if t.Client == nil {
		return shown, nil
	}
	root, err := os.MkdirTemp(t.e.temp.Dir, "")
	if err != nil {
		return nil, err
	}
	if err := shown.write(root); err != nil {
		return nil, err
	}
	looks := list.Options{Dir: root, Notify: func(loader.Notice) {}}
	for _, folder := range t.folders {
		looks.Paths = append(looks.Paths, filepath.Join(root, folder))
	}
	catalogue, _, err := list.Client(ctx, looks, t.Client, 0)
	for _, entry := range catalogue.Entries {
		folder := filepath.Base(filepath.Dir(entry.Path))
		if entry.Cut > 0 {
			length := utf8.RuneCountInString(entry.Description) - entry.Cut
			shown.describe(folder, printable.Truncate(entry.Description, max(0, length)))
		}
		switch {
		case entry.Listed:
		case folder == t.folders[0]:
			return nil, fault.Usage("see skills list --client "+t.Client.ID,
				"%s does not show the skill to its model: %s", t.Client.Title, strings.Join(entry.Reasons, "; "))
		default:
			maps.DeleteFunc(shown, func(name string, _ file) bool { return strings.HasPrefix(name, folder+"/") })
		}
	}
	return shown, err
}
