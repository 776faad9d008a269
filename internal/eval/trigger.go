package eval

// Whether the model loads a skill when it should is measured with prompts that should load
// it, and prompts that should not, in the catalogue of a client. A control that asks for
// the skill by name shows whether the measurement works.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/clients"
	"skills/internal/eval/store"
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

// Trigger measures whether the model loads a skill when it should, and only then.
type Trigger struct {
	e       *Eval
	dir     string // of the skill
	skill   *spec.Document
	queries []suite.Query
	client  *clients.Client // shortens the catalogue; nil: not at all
	folders []string        // names of the catalogue's folders, the skill's first
	skills  snapshot        // in these folders

	name, description string
}

// OpenTriggers prepares a measurement of each skill in the paths that has queries, or of
// all with those in a file. The Eval must be closed after it.
func OpenTriggers(ctx context.Context, env run.Env, o Options, file string, client *clients.Client) (*Eval, []*Trigger, error) {
	o.Baseline, o.JudgeVotes = "none", 1
	env.Notify = func(loader.Notice) {} // of every run
	var found []loader.Found
	var all []*Trigger
	e, err := open(ctx, env, o)
	if err == nil {
		found, err = lint.Find(ctx, loader.Search{}, e.o.Paths)
	}
	for _, f := range found {
		t := &Trigger{e: e, dir: f.Real, skill: loader.OpenDocument(f), client: client}
		opened := t.open(ctx, file)
		err = cmp.Or(err, opened)
		if len(t.queries) > 0 {
			all = append(all, t)
		}
	}
	if err == nil && len(all) == 0 {
		err = fault.Usage("write evals/triggers.json, or name a list with --queries", "no queries found")
	}
	if err == nil {
		err = e.findServer(ctx)
	}
	if err != nil {
		e.Close()
		return nil, nil, fault.AsUsageIfHinted(err)
	}
	return e, all, nil
}

// open reads the queries and the skills of the catalogue.
func (t *Trigger) open(ctx context.Context, file string) error {
	s, problems, err := suite.Load(ctx, t.dir)
	if file != "" { // in place of the skill's own
		s, problems, err = suite.LoadQueries(ctx, file)
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
	if t.client == nil {
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
	catalogue, _, err := list.Client(ctx, looks, t.client, 0)
	for _, entry := range catalogue.Entries {
		folder := filepath.Base(filepath.Dir(entry.Path))
		if entry.Cut > 0 {
			length := utf8.RuneCountInString(entry.Description) - entry.Cut
			shown.describe(folder, printable.Truncate(entry.Description, max(0, length)))
		}
		switch {
		case entry.Listed:
		case folder == t.folders[0]:
			return nil, fault.Usage("see skills list --client "+t.client.ID,
				"%s does not show the skill to its model: %s", t.client.Title, strings.Join(entry.Reasons, "; "))
		default:
			maps.DeleteFunc(shown, func(name string, _ file) bool { return strings.HasPrefix(name, folder+"/") })
		}
	}
	return shown, err
}

// run runs each prompt several times with the skills, in the order of the prompts.
func (t *Trigger) run(ctx context.Context, skills snapshot, times int, prompts ...suite.Query) ([]*caseRun, error) {
	dir, err := os.MkdirTemp(t.e.temp.Dir, "")
	if err != nil {
		return nil, err
	}
	s := &skillEval{suite: &suite.Suite{Skill: t.name}, dir: dir}
	a := &arm{configuration: store.WithSkill, files: skills}
	for i, q := range prompts {
		id := fmt.Sprint(i + 1)
		c := &suite.Case{ID: id, Slug: id, Prompt: q.Query, Settings: suite.Settings{MaxTurns: triggerTurns}}
		planner{t.e}.resolve(c)
		for n := range times {
			s.runs = append(s.runs, s.newRun(c, a, n+1))
		}
	}
	t.e.skillEvals = []*skillEval{s}
	defer t.e.begin()()
	return s.runs, t.e.work(ctx, s)
}

// measure runs queries with a description of the skill.
func (t *Trigger) measure(ctx context.Context, description string, queries ...suite.Query) ([]QueryResult, error) {
	skills, err := t.catalogue(ctx, description)
	if err != nil {
		return nil, err
	}
	runs, err := t.run(ctx, skills, t.e.o.Runs, queries...)
	results := make([]QueryResult, len(queries))
	for i, q := range queries {
		results[i] = QueryResult{Query: q, Errors: []string{}, Others: []string{}}
		for _, r := range runs[i*t.e.o.Runs : (i+1)*t.e.o.Runs] {
			if r.done {
				results[i].add(t.name, r)
			}
		}
	}
	return results, err
}

// Measure runs a control and, if that loads the skill, all queries. An error of a run is
// no result; the error returned is that of the configuration or the context.
func (t *Trigger) Measure(ctx context.Context) (*TriggerReport, error) {
	r := &TriggerReport{SchemaVersion: 1, Skill: t.name, Siblings: t.folders[1:], Queries: []QueryResult{}}
	if t.client != nil {
		r.Client = t.client.ID
	}
	before, _ := t.e.meter.read() // that of the skills before
	calls := t.e.meter.calls
	prompt := "Use the skill " + t.name + " for this task: tell me briefly what it can do."
	control, err := t.measure(ctx, t.description, suite.Query{Query: prompt, ShouldTrigger: true})
	if err != nil {
		return nil, err
	}
	r.Control = control[0]
	if r.Control.Triggered > 0 {
		r.Queries, err = t.measure(ctx, t.description, t.queries...)
		if err != nil {
			return nil, err
		}
	}
	usage, stopped := t.e.meter.read()
	r.Calls, r.Stopped = t.e.meter.calls-calls, stopped
	r.Tokens = usage.InputTokens + usage.OutputTokens - before.InputTokens - before.OutputTokens
	r.rate()
	return r, nil
}
