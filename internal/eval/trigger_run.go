package eval

// The runs of a measurement are runs of cases with one check: that the skill is loaded, or
// that it is not. So they are stored, found again, played and paid for like those of an
// eval. A query has its own folder, whose name depends on its text alone.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/terminal"
	"skills/internal/transcript"
)

// Groups of runs of a measurement: folders in its folder, and names in its usage.
const (
	controlGroup   = "control"
	queryGroup     = "queries"
	candidateGroup = "candidates" // runs with other descriptions
	proposalGroup  = "proposals"  // the model writes other descriptions
)

// plan selects the folder and plans the runs of the control and of the queries.
func (t *Trigger) plan(ctx context.Context) error {
	p := planner{t.e}
	if err := p.folder(ctx, t.s); err != nil {
		return err
	}
	t.s.meta.Runs = t.e.o.Runs
	if t.e.o.Offline {
		var stored TriggerReport
		if err := store.Load(filepath.Join(t.s.dir, store.TriggerFile), &stored); err != nil {
			return err
		}
		if stored.PerQuery < 1 || stored.PerQuery > maxRuns {
			return fault.Usage("record it again with a server, without --offline", "%s: runs_per_query is %d", filepath.Join(t.s.dir, store.TriggerFile), stored.PerQuery)
		}
		t.stopped = stored.Stopped
		t.s.meta = store.Meta{Model: stored.Model, BaseURL: stored.BaseURL, Timestamp: stored.Started, Runs: stored.PerQuery}
	}
	skills, err := t.catalogue(ctx, t.description)
	if err != nil {
		return err
	}
	t.runs(controlGroup, skills, t.control())
	t.runs(queryGroup, skills, t.queries...)
	return nil
}

// control is a query that names the skill.
func (t *Trigger) control() suite.Query {
	return suite.Query{Query: "Use the skill " + t.name + " for this task: tell me briefly what it can do.", ShouldTrigger: true}
}

// queryFolder returns the folder of a query in a group. Only queries with the present
// description are two levels deep, like the cases of an iteration.
func (t *Trigger) queryFolder(group string, q suite.Query) string {
	switch folder := q.Folder(); group {
	case queryGroup:
		return folder
	case controlGroup:
		return controlGroup + "/named"
	default:
		return group + "/" + folder
	}
}

// runs returns the runs of queries with skills, in the order of the queries, and plans those
// that are not planned yet.
func (t *Trigger) runs(group string, skills snapshot, queries ...suite.Query) (all []*caseRun) {
	p, a := planner{t.e}, &arm{configuration: store.WithSkill, files: skills, digest: digest(skills)}
	for _, q := range queries {
		slug := t.queryFolder(group, q)
		c := &suite.Case{ID: strings.TrimPrefix(slug, "query-"), Slug: slug, Prompt: q.Query, Settings: suite.Settings{Name: q.ID, MaxTurns: triggerTurns}}
		if check := map[bool]string{true: "skill_loaded", false: "skill_not_loaded"}[q.ShouldTrigger]; group != proposalGroup {
			c.Checks = []suite.Check{{Type: check, Arm: suite.Both}}
		}
		p.resolve(c)
		times := t.s.meta.Runs
		if group == proposalGroup {
			times = 1
		}
		for n := range times {
			all = append(all, t.planned(t.s.newRun(c, a, n+1)))
		}
	}
	return all
}

// planned plans a run, or returns the planned one in its folder.
func (t *Trigger) planned(r *caseRun) *caseRun {
	i := slices.IndexFunc(t.s.runs, func(other *caseRun) bool { return other.out.Dir == r.out.Dir })
	if i >= 0 {
		return t.s.runs[i]
	}
	if t.e.o.Offline {
		_ = store.Load(filepath.Join(r.out.Dir, store.TimingFile), &r.out.Timing) // else it has no key, and is not played
		r.stored = r.out.Dir
	} else {
		r.key = t.e.key(r)
		t.s.find(r)
	}
	t.s.runs = append(t.s.runs, r)
	return r
}

// execute executes runs that are not done, and stores what they gave.
func (t *Trigger) execute(ctx context.Context, runs []*caseRun) error {
	t.e.progress.total = max(t.e.progress.total, len(t.s.runs))
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *caseRun) bool { // a budget prevented it when the others were recorded
		return t.stopped != "" && r.out.Key == "" && r.out.Error == ""
	})
	if err := t.e.work(ctx, t.s, runs); err != nil || t.e.o.Offline {
		return err
	}
	for _, r := range runs {
		var err error
		switch ctx := context.WithoutCancel(ctx); {
		case r.done && len(r.c.Checks) > 0:
			err = store.WriteRun(ctx, r.out)
		case r.done && r.out.Error == "": // a proposal has no grades
			err = files.SaveJSON(ctx, filepath.Join(r.out.Dir, store.TimingFile), r.out.Timing)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureIn runs queries in a group with a description of the skill.
func (t *Trigger) measureIn(ctx context.Context, group, description string, queries ...suite.Query) ([]QueryResult, error) {
	skills, err := t.catalogue(ctx, description)
	if err != nil {
		return nil, err
	}
	runs := t.runs(group, skills, queries...)
	err = t.execute(ctx, runs)
	results, times := make([]QueryResult, len(queries)), t.s.meta.Runs
	for i, q := range queries {
		results[i] = QueryResult{Query: q, Errors: []string{}, Others: []string{}, Folder: t.queryFolder(group, q)}
		for _, r := range runs[i*times : (i+1)*times] {
			if r.done {
				results[i].add(t.name, r)
			}
		}
	}
	return results, err
}

// measure runs queries with a description of the skill. Runs with the present one are not
// repeated.
func (t *Trigger) measure(ctx context.Context, description string, queries ...suite.Query) ([]QueryResult, error) {
	group := queryGroup
	if description != t.description {
		sum := sha256.Sum256([]byte(description))
		group = fmt.Sprintf("%s/%x", candidateGroup, sum[:4])
	}
	return t.measureIn(ctx, group, description, queries...)
}

// propose asks the model for a description.
func (t *Trigger) propose(ctx context.Context, request string) (string, error) {
	runs := t.runs(proposalGroup, nil, suite.Query{Query: request})
	if err := t.execute(ctx, runs); err != nil {
		return "", err
	}
	return runs[0].out.Answer, nil
}

// Measure runs a control and, if that loads the skill, all queries, and stores the result.
// If a query fails and that is wanted, a better description is searched. An error of a run
// is no result. The error returned is that of the configuration or the context: what was
// run is stored, and measuring again resumes it. There may be a report with an error.
func (t *Trigger) Measure(ctx context.Context) (*TriggerReport, error) {
	if !t.e.o.Offline {
		unlock, err := t.s.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	defer t.e.begin(t.s)()
	m := t.s.meta
	r := &TriggerReport{
		SchemaVersion: 1, Skill: t.name, Siblings: t.folders[1:], Queries: []QueryResult{},
		Origin: Origin{Model: m.Model, BaseURL: m.BaseURL, Started: m.Timestamp, PerQuery: m.Runs},
	}
	if t.Client != nil {
		r.Client = t.Client.ID
	}
	control, err := t.measureIn(ctx, controlGroup, t.description, t.control())
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
	_, stopped := t.e.meter.read()
	r.Stopped = cmp.Or(stopped, t.stopped)
	r.rate()
	t.count(r)
	if t.Suggest && r.Incomplete() == "" && r.Failed() > 0 {
		r.Suggestion, err = t.suggest(ctx)
		t.count(r)
	}
	if err != nil {
		return r, err
	}
	return r, t.save(context.WithoutCancel(ctx), r)
}

// count sets what the runs used, as their transcripts say: reused runs and those that are
// played back used the same.
func (t *Trigger) count(r *TriggerReport) {
	zero := func(name string) store.Usage {
		return store.Usage{Configuration: name, Tokens: new(int64), Cost: new(float64)}
	}
	r.Calls, r.Tokens, r.Usage = 0, 0, nil
	total := zero(store.Total)
	for _, group := range []string{controlGroup, queryGroup, candidateGroup, proposalGroup} {
		u := zero(group)
		for _, run := range t.s.runs {
			if !run.done || groupOf(run) != group {
				continue
			}
			one, used, turns := t.used(run)
			r.Calls, r.Tokens = r.Calls+turns, r.Tokens+used.InputTokens+used.OutputTokens
			u.Add(one)
		}
		if u.Runs > 0 {
			r.Usage = append(r.Usage, u)
			total.Add(u)
		}
	}
	r.Usage = append(r.Usage, total)
}

// groupOf returns the group of a run.
func groupOf(r *caseRun) string {
	if top, _, deeper := strings.Cut(r.c.Slug, "/"); deeper {
		return top
	}
	return queryGroup
}

// used returns what a run used: as its usage, which is unknown if a part of it is, and as the
// tokens and the requests that are known.
func (t *Trigger) used(r *caseRun) (one store.Usage, used agent.Usage, turns int) {
	reports := 0
	result, err := transcript.ReadFile(filepath.Join(r.out.Dir, transcriptFile), func(e agent.Event) {
		if _, ok := e.(agent.UsageEvent); ok {
			reports++
		}
	})
	if result.Usage != nil {
		used = *result.Usage
	}
	one.Runs = 1
	if err == nil && reports >= result.Turns {
		one.Tokens = new(used.InputTokens + used.OutputTokens)
		if t.e.o.Budget.Price != (agent.Price{}) {
			one.Cost = new(t.e.o.Budget.Price.Cost(used))
		} else if t.e.o.Offline {
			one.Cost = r.out.Cost // as it was recorded
		}
	}
	return one, used, result.Turns
}

// save writes the result, which completes the folder, and removes what does not belong to
// it. Nothing is written when recordings are played.
func (t *Trigger) save(ctx context.Context, r *TriggerReport) error {
	if t.e.o.Offline {
		return nil
	}
	for _, q := range append([]QueryResult{r.Control}, r.Queries...) {
		meta := store.CaseMeta{
			ID: store.ID(strings.TrimPrefix(q.Folder, "query-")), Name: q.ID, Prompt: q.Query.Query, Assertions: []string{}, ShouldTrigger: &q.ShouldTrigger,
		}
		dir := filepath.Join(t.s.dir, filepath.FromSlash(q.Folder))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := files.SaveJSON(ctx, filepath.Join(dir, store.MetadataFile), meta); err != nil {
			return err
		}
	}
	if err := t.e.prune(t.s); err != nil {
		return err
	}
	for _, pattern := range t.s.layout().runs {
		arms, _ := fs.Glob(os.DirFS(t.s.dir), path.Dir(pattern)) // the patterns are correct
		for _, arm := range arms {
			t.s.removeEmpty(filepath.Join(t.s.dir, filepath.FromSlash(arm))) // of a run that was interrupted
		}
	}
	var page strings.Builder
	if err := r.Write(&page, "markdown", report.Target{}); err != nil {
		return err
	}
	if err := files.Save(ctx, filepath.Join(t.s.dir, triggerPage), []byte(page.String())); err != nil {
		return err
	}
	return files.SaveJSON(ctx, filepath.Join(t.s.dir, store.TriggerFile), r)
}

const triggerPage = "trigger.md" // the result for people

// DryRunTriggers prints what measurements would do: the runs, the requests without retries,
// and the folders of the files.
func DryRunTriggers(w io.Writer, all []*Trigger) error {
	var page strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintln(&page, printable.Fold(printable.Line(fmt.Sprintf(format, args...)), 0, terminal.Width(w), "    "))
	}
	for _, t := range all {
		times, stored, most := t.s.meta.Runs, 0, 0
		for _, r := range t.s.runs {
			if r.stored != "" {
				stored++
				continue
			}
			most += r.c.MaxTurns + 1 // the last one without tools
		}
		line("%s: %d queries and the control × %s = %s, %d of them stored", t.name, len(t.queries),
			printable.Plural(times, "run"), printable.Plural(len(t.s.runs), "run"), stored)
		line("  requests: at most %d to %s, without retries", most, t.s.meta.Model)
		usual, _ := typical(t.e, t.s)
		line("  typically about %d: %d a run that loads the skill, %d another", usual, typicalLoaded, typicalWithout)
		if t.Suggest {
			shown, selecting, unseen := split(t.queries)
			more := (suggestRounds*(len(shown)+len(selecting))+len(unseen))*times*(triggerTurns+1) + suggestRounds*(triggerTurns+1)
			line("  --suggest: at most %d requests more, if a query fails", more)
		}
		line("  files: below %s", t.s.dir)
	}
	_, err := io.WriteString(w, page.String())
	return err
}
