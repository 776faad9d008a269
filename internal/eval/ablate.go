package eval

// An ablation runs the cases with the whole skill, whose runs it shares with other evals, and
// with copies that lack one part each. They are in a folder of the workspace that is kept: a
// run is repeated only if something that it depends on has changed.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/eval/report"
	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/run"
)

// AblateOptions are the flags of eval ablate that no other eval has.
type AblateOptions struct {
	Parts  []string // patterns; all parts if empty
	Level  int      // of the headings that begin sections, 0 for the highest with two
	Margin float64  // the mean loss that must be excluded before a part can go
}

// maxParts is how many parts are left out.
const maxParts = 200

// Ablation leaves out the parts of a skill one at a time. It must be closed.
type Ablation struct {
	AblateOptions
	e        *Eval
	folder   string   // of its files
	earlier  []string // iterations, the last first
	cases    *skillEval
	queries  *skillEval // of the trigger list, for the description; nil without one
	removals []*removal
	combined *removal // nil until the others are measured
}

// removal is the skill without some of its parts.
type removal struct {
	store.Removal
	parts []part
	s     *skillEval // nil if it cannot be measured
	whole *skillEval // what it is compared with
}

// NewAblation finds the parts of a skill, its cases and stored runs. An error is about flags,
// files or the server.
func NewAblation(ctx context.Context, env run.Env, o Options, only AblateOptions) (*Ablation, error) {
	inRange := only.Margin > 0 && only.Margin < 1 // false for NaN
	switch {
	case !inRange:
		return nil, fault.Usage("pass a difference of scores, such as 0.1", "--margin %v is not between 0 and 1", only.Margin)
	case only.Level < 0 || only.Level > 6:
		return nil, fault.Usage("pass a level from 1 to 6, or omit it", "--level %d is not a level of headings", only.Level)
	case strings.Contains(o.Run.Server.Model, ","):
		return nil, fault.Usage("name one model", "--model %s: parts are left out with one model", o.Run.Server.Model)
	}
	for _, p := range only.Parts {
		if err := loader.CheckNamePattern(p); err != nil {
			return nil, fault.AsUsage(err)
		}
	}
	if err := o.checkRun(); err != nil {
		return nil, err
	}
	o.Baseline = "none"
	e, err := open(ctx, env, o)
	a := &Ablation{AblateOptions: only, e: e}
	if err == nil {
		err = planner{e}.loadSuites(ctx)
	}
	if err == nil && len(e.skillEvals) > 1 {
		err = fault.Usage("name one of them", "%d skills have cases; parts are left out of one at a time", len(e.skillEvals))
	}
	if err == nil {
		err = a.plan(ctx)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return a, nil
}

// Close removes temporary files.
func (a *Ablation) Close() { a.e.Close() }

// plan plans the runs with the whole skill and without each part.
func (a *Ablation) plan(ctx context.Context) error {
	p, s := planner{a.e}, a.e.skillEvals[0]
	a.cases = s
	for i := range s.suite.Cases {
		p.resolve(&s.suite.Cases[i])
	}
	if err := p.arms(ctx, s); err != nil {
		return err
	}
	workspace, err := p.workspace(s.suite)
	if err != nil {
		return err
	}
	a.folder = filepath.Join(workspace, store.AblationFolder)
	iterations, _, err := store.Iterations(workspace)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Usage("check that it is a folder, and its permissions; or name another with --workspace", "%s cannot be read: %w", workspace, files.Reason(err))
	}
	if err := checkStored(append([]string{a.folder}, iterations...)); err != nil {
		return err
	}
	for _, dir := range slices.Backward(iterations) {
		a.earlier = append(append(a.earlier, dir), store.ModelFolders(dir)...)
	}
	if err := a.place(ctx, s, "whole", a.earlier); err != nil { // which may have runs with the whole skill
		return err
	}
	if err := a.findRemovals(); err != nil {
		return err
	}
	for _, r := range a.removals {
		if err := a.prepare(ctx, r); err != nil {
			return err
		}
	}
	return (grader{a.e}).open(ctx)
}

// findRemovals finds the selected parts of the skill, and the queries of its trigger list.
func (a *Ablation) findRemovals() error {
	arm := a.cases.arms[0]
	all := findParts(arm.files, a.skillFolder(), a.Level, len(arm.active) > 0)
	var names []string
	folders, own := folderNames{}, arm.files.below(a.skillFolder())
	for _, p := range all {
		names = append(names, p.name)
		slug := folders.next(p.name)
		_, bare, _ := strings.Cut(p.name, ":")
		if len(a.Parts) > 0 && !loader.MatchName(a.Parts, p.name) && !loader.MatchName(a.Parts, bare) {
			continue
		}
		if len(a.removals) == maxParts {
			return fault.Usage("select some with --part", "%s has %d parts; at most %d are left out", a.cases.suite.Skill, len(all), maxParts)
		}
		mentions := []string{}
		if p.kind == store.FilePart {
			mentions = append(mentions, own.mentions(p.file)...)
		}
		a.removals = append(a.removals, &removal{parts: []part{p}, whole: a.cases, Removal: store.Removal{
			Name: p.name, Kind: p.kind, Tokens: p.tokens, Saved: map[string]int{p.where: p.tokens}, Mentions: mentions,
			Directory: "parts/" + slug, Units: "cases", Rows: []store.RemovalCase{},
		}})
	}
	switch {
	case len(all) == 0:
		return fault.Usage("give SKILL.md headings, or move details to files", "%s has no part that can be left out", a.cases.suite.Skill)
	case len(a.removals) == 0:
		return fault.Usage("the parts are: "+strings.Join(names, ", "), "no part matches --part")
	}
	return nil
}

// skillFolder returns the folder of the skill among the files of a run.
func (a *Ablation) skillFolder() string { return filepath.Base(a.cases.suite.Dir) }

// prepare plans the runs of a removal. The description is measured with the queries of the
// trigger list, if there are some: it decides whether the skill is loaded.
func (a *Ablation) prepare(ctx context.Context, r *removal) error {
	if r.Kind == store.DescriptionPart && len(a.cases.suite.Queries) > 0 {
		err := a.openQueries(ctx)
		if a.e.o.Offline && errors.Is(err, errNoRecording) {
			r.Outcome, r.Reason = store.NotMeasured, "no recording"
			return nil
		} else if err != nil {
			return err
		}
		r.whole, r.Units = a.queries, "queries"
	}
	whole := r.whole.arms[0]
	left, cut := whole.files.without(a.skillFolder(), r.parts...)
	arm := &arm{configuration: store.WithSkill, files: left, active: whole.active, hide: whole.hide}
	arm.complete()
	given := left.text()
	for c, inputs := range r.whole.inputs {
		given += c.Prompt + "\n" + c.System + "\n" + inputs.text()
	}
	arm.secret = distinctive(cut, given)
	skill, _, err := a.e.loadSkill(ctx, left.own(a.skillFolder()), a.cases.suite.Dir)
	if err != nil {
		return err
	}
	if skill == nil {
		r.Outcome, r.Reason = store.NotMeasured, "the skill cannot be loaded without it"
		return nil
	}
	r.s = r.whole.withArm(arm)
	err = a.place(ctx, r.s, r.Directory, nil)
	if a.e.o.Offline && errors.Is(err, errNoRecording) {
		r.s, r.Outcome, r.Reason = nil, store.NotMeasured, "no recording"
		return nil
	}
	a.e.skillEvals = append(a.e.skillEvals, r.s)
	return err
}

// withArm returns the cases with other files, not planned yet.
func (s *skillEval) withArm(a *arm) *skillEval {
	return &skillEval{suite: s.suite, arms: []*arm{a}, inputs: s.inputs, partial: s.partial, key: s.key, text: s.text}
}

// openQueries plans the runs of the queries with the whole skill.
func (a *Ablation) openQueries(ctx context.Context) error {
	if a.queries != nil {
		return nil
	}
	asked := *a.cases.suite
	asked.Cases = nil
	for _, q := range asked.Queries {
		c := suite.Case{ID: strings.TrimPrefix(q.Folder(), "query-"), Slug: q.Folder(), Prompt: q.Query, Settings: suite.Settings{Name: q.ID, MaxTurns: triggerTurns}}
		check := map[bool]string{true: "skill_loaded", false: "skill_not_loaded"}[q.ShouldTrigger]
		c.Checks = []suite.Check{{Type: check, Arm: suite.Both}}
		(planner{a.e}).resolve(&c)
		asked.Cases = append(asked.Cases, c)
	}
	whole := *a.cases
	whole.suite, whole.inputs, whole.runs = &asked, map[*suite.Case]snapshot{}, nil
	a.queries = whole.withArm(whole.arms[0])
	err := a.place(ctx, a.queries, "queries", nil)
	a.e.skillEvals = append(a.e.skillEvals, a.queries)
	return err
}

var errNoRecording = errors.New("no recording")

// place sets the folder of runs, and plans them. Equal runs of the folder itself and of others
// are not repeated.
func (a *Ablation) place(ctx context.Context, s *skillEval, name string, others []string) error {
	p := planner{a.e}
	s.top, s.dir = a.folder, filepath.Join(a.folder, filepath.FromSlash(name))
	s.meta = store.Meta{Model: p.server.Model, BaseURL: run.PublicURL(p.server.BaseURL), Timestamp: time.Now().UTC().Format(time.RFC3339)}
	s.earlier = append([]string{s.dir, filepath.Join(a.folder, "whole")}, a.earlier...)
	if !p.o.NoCache {
		s.stored = append([]string{s.dir}, others...)
	}
	recorded, _ := fs.Glob(os.DirFS(s.dir), "*/*/run-*/"+recordingFile) // the pattern is correct
	if p.o.Offline && len(recorded) == 0 {
		return fault.Usage("run it once with a server, and keep the workspace", "--offline: %w in %s", errNoRecording, s.dir)
	}
	return p.runs(ctx, s)
}

// Run measures the removals, then together those that can go, and stores the result, which is
// returned with an error about a budget or failed runs. After another error, such as an
// interrupt, running it again resumes the ablation.
func (a *Ablation) Run(ctx context.Context) (*store.Ablation, error) {
	if !a.e.o.Offline {
		unlock, err := a.cases.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	defer a.e.begin(a.e.skillEvals...)()
	runs := map[*skillEval][]store.Run{}
	for _, s := range []*skillEval{a.cases, a.queries} {
		if s == nil {
			continue
		}
		finished, err := a.measure(ctx, s)
		if err != nil {
			return nil, err
		}
		runs[s] = finished
	}
	for _, r := range a.removals {
		if err := a.judge(ctx, r, runs[r.whole]); err != nil {
			return nil, err
		}
	}
	if err := a.combine(ctx, runs[a.cases]); err != nil {
		return nil, err
	}
	result := a.result(runs)
	if err := a.save(context.WithoutCancel(ctx), result); err != nil {
		return nil, err
	}
	return result, a.conclude(result, runs)
}

// measure executes runs, and stores those that are done.
func (a *Ablation) measure(ctx context.Context, s *skillEval) ([]store.Run, error) {
	if err := a.e.work(ctx, s, s.runs); err != nil {
		return nil, err
	}
	s.meta.NotRun, s.meta.Stopped, s.meta.Runs = 0, "", 0
	runs := s.finished()
	if s.meta.NotRun > 0 {
		_, s.meta.Stopped = a.e.meter.read()
	}
	if a.e.o.Offline {
		return runs, nil
	}
	// The runs of cases that are not selected now, and those that a budget left to be repeated.
	s.kept = s.partial || a.e.o.NoCache && s.meta.NotRun > 0
	ctx = context.WithoutCancel(ctx)
	if err := writeRuns(ctx, a.e, s); err != nil {
		return nil, err
	}
	return runs, files.SaveJSON(ctx, filepath.Join(s.dir, store.BenchmarkFile), store.Aggregate(runs, s.meta))
}

// judge measures a removal and compares it with the whole skill.
func (a *Ablation) judge(ctx context.Context, r *removal, whole []store.Run) error {
	if r.s == nil {
		return nil
	}
	runs, err := a.measure(ctx, r.s)
	if err != nil {
		return err
	}
	r.NotRun = r.s.meta.NotRun + r.whole.meta.NotRun
	if r.NotRun > 0 {
		r.Outcome, r.Reason = store.NotMeasured, printable.Plural(r.NotRun, "run")+" not run"
		return nil
	}
	r.Compare(whole, runs, a.Margin)
	return nil
}

// combine leaves out together what can go, if there are two such parts at least: their
// losses, too small to see alone, add up.
func (a *Ablation) combine(ctx context.Context, whole []store.Run) error {
	all := &removal{whole: a.cases, Removal: store.Removal{
		Name: "all that can go", Kind: "combined", Saved: map[string]int{}, Mentions: []string{}, Directory: "combined", Units: "cases", Rows: []store.RemovalCase{},
	}}
	for _, r := range a.removals {
		if r.Outcome != stats.CanGo {
			continue
		}
		all.parts, all.Tokens = append(all.parts, r.parts...), all.Tokens+r.Tokens
		for where, n := range r.Saved {
			all.Saved[where] += n
		}
	}
	if len(all.parts) < 2 {
		return nil
	}
	a.combined = all
	if err := a.prepare(ctx, all); err != nil {
		return err
	}
	if all.s != nil {
		all.s.meta.Judge = a.cases.meta.Judge
		a.e.progress.total += len(all.s.runs)
	}
	return a.judge(ctx, all, whole)
}

// result returns what was measured.
func (a *Ablation) result(runs map[*skillEval][]store.Run) *store.Ablation {
	m := a.cases.meta
	result := &store.Ablation{
		Schema: 1, Skill: a.cases.suite.Skill, Model: m.Model, Judge: m.Judge, Timestamp: m.Timestamp,
		Margin: a.Margin, Runs: m.Runs, Parts: []store.Removal{},
	}
	scored := store.Aggregate(runs[a.cases], m).Statistics
	result.Score, result.Cases = scored.Score, scored.Scored
	for _, r := range a.removals {
		result.Parts = append(result.Parts, r.Removal)
	}
	if a.combined != nil {
		result.Combined = &a.combined.Removal
	}
	_, result.Stopped = a.e.meter.read()
	return result
}

// save writes the result for programs and people, unless recordings are played.
func (a *Ablation) save(ctx context.Context, result *store.Ablation) error {
	if a.e.o.Offline {
		return nil
	}
	var page bytes.Buffer
	if err := report.WriteAblation(&page, "markdown", report.Target{}, result); err != nil {
		return err
	}
	if err := files.Save(ctx, filepath.Join(a.folder, store.AblationPage), page.Bytes()); err != nil {
		return err
	}
	return files.SaveJSON(ctx, filepath.Join(a.folder, store.AblationFile), result)
}

// conclude returns why a result is incomplete, or nil.
func (a *Ablation) conclude(result *store.Ablation, runs map[*skillEval][]store.Run) error {
	total, failed, notRun := 0, 0, 0
	for _, s := range a.e.skillEvals {
		for _, r := range s.runs {
			switch {
			case !r.done:
				notRun++
			case r.out.Failed() != "":
				total, failed = total+1, failed+1
			default:
				total++
			}
		}
	}
	incomplete := func(hint, format string, args ...any) error {
		return &fault.Error{Code: fault.Limit, Err: fmt.Errorf("%s: %w", result.Skill, fmt.Errorf(format, args...)), Hint: hint, Concluded: true}
	}
	switch {
	case notRun > 0 && a.e.o.NoCache:
		return incomplete("run it again with a larger budget, without --no-cache if finished runs are not to be repeated", "%s: %s not run", result.Stopped, printable.Plural(notRun, "run"))
	case notRun > 0:
		return incomplete("run it again with a larger budget; finished runs are not repeated", "%s: %s not run", result.Stopped, printable.Plural(notRun, "run"))
	case float64(failed) > maxErrored*float64(total):
		return incomplete("run it again; finished runs are not repeated", "%d of %s failed", failed, printable.Plural(total, "run"))
	}
	return nil
}
