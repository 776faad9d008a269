package store

// A benchmark is computed from the stored runs alone, so that grading again gives a new one
// without running anything. A run without a score is listed and counted, and is in no
// mean. Its JSON has the names of skill-creator's benchmark.json, with more fields.

import (
	"cmp"
	"slices"

	"skills/internal/eval/stats"
)

// Benchmark is the result of an iteration.
type Benchmark struct {
	Meta       Meta       `json:"metadata"`
	Runs       []Result   `json:"runs"`
	Errored    []Failure  `json:"errored_runs"` // runs without a score, which are not in Runs
	Summary    Summary    `json:"run_summary"`
	Statistics Statistics `json:"statistics"`
	Pairwise   *Pairwise  `json:"pairwise,omitempty"` // nil unless runs were compared in pairs
	Usage      []Usage    `json:"usage"`              // of each configuration, and in total
	Cases      []Case     `json:"cases"`
	Notes      []string   `json:"notes"`
}

// Result is a run with a score.
type Result struct {
	ID            ID        `json:"eval_id"`
	Name          string    `json:"eval_name,omitempty"`
	Configuration string    `json:"configuration"`
	Number        int       `json:"run_number"`
	Result        Numbers   `json:"result"`
	Outcomes      []Outcome `json:"expectations"`
	Notes         []string  `json:"notes"`

	Turns  int    `json:"-"` // requests to the model; 0 if unknown
	Dir    string `json:"-"` // the run's folder
	Answer string `json:"-"` // "" if it is only stored
	Copy   string `json:"-"` // name of the answer's copy among the outputs, or ""
}

// Numbers holds score, time, tokens, cost and calls of a run; nil means unknown.
type Numbers struct {
	counts
	Score  float64  `json:"score"`
	Time   *float64 `json:"time_seconds"`
	Tokens *int64   `json:"tokens"`
	Cost   *float64 `json:"cost,omitempty"`
	Judged *int64   `json:"judge_tokens,omitempty"`
	Judge  *float64 `json:"judge_cost,omitempty"`
	Calls  *int     `json:"tool_calls"`
	Errors *int     `json:"errors"`
}

// Failure is a run without a score.
type Failure struct {
	ID            ID     `json:"eval_id"`
	Configuration string `json:"configuration"`
	Number        int    `json:"run_number"`
	Error         string `json:"error"`
	Harness       string `json:"harness_error,omitempty"` // see [Timing]
	Spent
	Dir string `json:"-"` // the run's folder
}

// Spent is what a run used until it failed; nil numbers are unknown.
type Spent struct {
	Tokens *int64   `json:"tokens,omitempty"`
	Cost   *float64 `json:"cost,omitempty"`
	Judged *int64   `json:"judge_tokens,omitempty"`
	Judge  *float64 `json:"judge_cost,omitempty"`
}

// HarnessErrors counts runs that failed for a reason that says nothing about the skill.
type HarnessErrors struct {
	CallsAsText    int `json:"calls_as_text"`
	EndlessReplies int `json:"endless_replies"`
	RefusedForms   int `json:"refused_requests"`
}

func (h *HarnessErrors) add(kind string) {
	switch kind {
	case CallsAsText:
		h.CallsAsText++
	case EndlessReply:
		h.EndlessReplies++
	case RefusedForm:
		h.RefusedForms++
	}
}

// Statistics compares the arms over cases; nil numbers are unknown.
type Statistics struct {
	Baseline    string `json:"baseline,omitempty"` // configuration, "" without one
	Errored     int    `json:"n_errored"`          // cases that should have a difference, but have none
	Runs        int    `json:"n_runs"`
	ErroredRuns int    `json:"n_errored_runs"`

	Harness HarnessErrors `json:"harness_errors"` // of the errored runs

	Score    *float64   `json:"score"`        // mean over the cases with the skill
	Passed   int        `json:"cases_passed"` // cases that every run with the skill passed
	Scored   int        `json:"cases_scored"` // cases with a score with the skill
	PassedCI [2]float64 `json:"cases_passed_ci95"`
	stats.Result
}

// Case is one case in both arms.
type Case struct {
	ID       ID       `json:"eval_id"`
	Name     string   `json:"eval_name,omitempty"`
	Slug     string   `json:"directory"` // slash-separated, relative to the iteration
	With     Arm      `json:"with"`
	Baseline Arm      `json:"baseline"`
	Delta    *float64 `json:"delta"`              // nil if an arm has no score
	Excluded string   `json:"excluded,omitempty"` // why there is no delta
	Checks   []Tally  `json:"checks"`
	Prompt   string   `json:"-"`
}

// Arm is a case in one arm.
type Arm struct {
	Mean    *float64  `json:"mean"`       // of the scores; nil without any
	Any     []float64 `json:"pass_at_k"`  // chance that one of 1, 2, … runs passes
	All     []float64 `json:"pass_hat_k"` // chance that all of them pass
	Errored int       `json:"errored"`

	scores, shared []float64 // a run; shared by the checks of both arms only
	passed         int       // runs without a failed check
}

// Passed returns how many of the runs passed without a failed check.
func (a Arm) Passed() int { return a.passed }

// Tally counts the results of an assertion over a case's runs.
type Tally struct {
	Text     string `json:"text"`
	Arm      string `json:"arm,omitempty"`
	With     Count  `json:"with"`
	Baseline Count  `json:"baseline"`
	Evidence string `json:"evidence,omitempty"` // of the first failure with the skill
}

// Count is how many of a number of runs passed.
type Count struct {
	Passed int `json:"passed"`
	Total  int `json:"total"`
}

// Flaky reports whether runs of the same arm differ.
func (t Tally) Flaky() bool { return t.With.mixed() || t.Baseline.mixed() }

// Silent reports whether the assertion passes, or fails, in every run of both arms: it
// does not distinguish them.
func (t Tally) Silent() bool {
	total, passed := t.With.Total+t.Baseline.Total, t.With.Passed+t.Baseline.Passed
	return t.With.Total > 0 && t.Baseline.Total > 0 && (passed == 0 || passed == total)
}

func (c Count) mixed() bool { return c.Passed > 0 && c.Passed < c.Total }

// Add counts a run.
func (c *Count) Add(passed bool) {
	c.Total++
	if passed {
		c.Passed++
	}
}

// with reports whether a configuration is the arm that is measured.
func with(configuration string) bool { return rank(configuration) < 2 }

// Aggregate computes a benchmark, which is the same for runs in any order. If there are
// two baselines, the one without a skill is compared.
func Aggregate(runs []Run, meta Meta) *Benchmark {
	b := &Benchmark{Meta: meta, Runs: []Result{}, Errored: []Failure{}, Cases: []Case{}}
	b.Meta.Evals, b.Notes = []ID{}, append([]string{}, meta.Notes...)
	runs = slices.SortedStableFunc(slices.Values(runs), func(x, y Run) int {
		return cmp.Or(
			cmp.Compare(sortKey(x.Case), sortKey(y.Case)),
			cmp.Compare(x.Case, y.Case), // 1 and "01" are two cases
			cmp.Compare(rank(x.Configuration), rank(y.Configuration)),
			cmp.Compare(x.Number, y.Number),
		)
	})
	for _, baseline := range []string{OldSkill, WithoutSkill} {
		if slices.ContainsFunc(runs, func(r Run) bool { return r.Configuration == baseline }) {
			b.Statistics.Baseline = baseline
		}
	}
	for _, r := range runs {
		b.add(r)
	}
	b.Summary = summarise(b.Runs)
	b.compareInPairs(runs)
	b.Usage = usage(b.Runs, b.Errored, b.Pairwise)
	b.compare()
	return b
}

// rank is the position of a configuration, -1 if it is unknown.
func rank(configuration string) int { return slices.Index(configurations(), configuration) }

func (b *Benchmark) add(r Run) {
	b.Statistics.Runs++
	if n := len(b.Cases); n == 0 || b.Cases[n-1].ID != ID(r.Case) {
		b.Meta.Evals = append(b.Meta.Evals, ID(r.Case))
		b.Cases = append(b.Cases, Case{ID: ID(r.Case), Name: r.Name, Slug: r.Slug, Checks: []Tally{}, Prompt: r.Prompt})
	}
	c, failed := &b.Cases[len(b.Cases)-1], r.Failed()
	score, scored := r.Score()
	if failed == "" && !scored {
		failed = "no assertion has a weight"
	}
	arm := &c.Baseline
	if with(r.Configuration) {
		arm = &c.With
	} else if r.Configuration != b.Statistics.Baseline {
		arm = &Arm{} // in the list of runs only
	}
	if failed != "" {
		arm.Errored++
		b.Statistics.ErroredRuns++
		b.Statistics.Harness.add(r.Harness)
		b.Errored = append(b.Errored, Failure{
			ID: ID(r.Case), Configuration: r.Configuration, Number: r.Number, Error: failed, Harness: r.Harness,
			Spent: Spent{Tokens: r.Tokens, Cost: r.Cost, Judged: r.Judged, Judge: r.Judging}, Dir: r.Dir,
		})
		return
	}
	n := r.count()
	result := Numbers{counts: n, Score: score, Tokens: r.Tokens, Cost: r.Cost, Judged: r.Judged, Judge: r.Judging, Calls: r.Calls, Errors: r.Failures}
	if r.Executor > 0 {
		result.Time = &r.Executor
	}
	notes := append([]string{}, r.Notes...)
	b.Runs = append(b.Runs, Result{
		ID: ID(r.Case), Name: r.Name, Configuration: r.Configuration, Number: r.Number, Result: result,
		Outcomes: r.Outcomes, Notes: notes, Turns: r.Turns, Dir: r.Dir, Answer: r.Answer, Copy: r.Timing.Answer,
	})
	arm.scores = append(arm.scores, score)
	if shared, ok := r.SharedScore(); ok {
		arm.shared = append(arm.shared, shared)
	}
	if n.Failed == 0 {
		arm.passed++
	}
	c.count(r.Outcomes, arm)
}

// count adds the outcomes of a run to the assertions of the case.
func (c *Case) count(outcomes []Outcome, arm *Arm) {
	next := map[string]int{} // behind the last assertion of the same text
	for _, o := range outcomes {
		i := next[o.Text] + slices.IndexFunc(c.Checks[next[o.Text]:], func(t Tally) bool { return t.Text == o.Text })
		if i < next[o.Text] {
			i, c.Checks = len(c.Checks), append(c.Checks, Tally{Text: o.Text, Arm: o.Arm})
		}
		next[o.Text] = i + 1
		switch t := &c.Checks[i]; arm {
		case &c.With:
			t.With.Add(o.Passed)
			if !o.Passed {
				t.Evidence = cmp.Or(t.Evidence, o.Evidence)
			}
		case &c.Baseline:
			t.Baseline.Add(o.Passed)
		}
	}
}

// compare completes the cases and the statistics.
func (b *Benchmark) compare() {
	s := &b.Statistics
	var scores, diffs []float64
	for i := range b.Cases {
		c := &b.Cases[i]
		c.With.finish()
		c.Baseline.finish()
		if c.With.Mean != nil {
			scores = append(scores, *c.With.Mean)
			if c.With.passed == len(c.With.scores) {
				s.Passed++
			}
		}
		switch {
		case s.Baseline == "":
			continue
		case c.With.Mean == nil:
			c.Excluded = "no scored run with the skill"
		case len(c.With.shared) == 0: // nothing failed, there is nothing to compare
			c.Excluded = "no assertion that both arms can pass"
			continue
		case c.Baseline.Mean == nil:
			c.Excluded = "no scored run of the baseline"
		case len(c.Baseline.shared) == 0:
			c.Excluded = "no assertion that both arms can pass"
		default:
			diff := stats.Mean(c.With.shared) - stats.Mean(c.Baseline.shared)
			c.Delta = new(stats.Round(diff))
			diffs = append(diffs, diff) // not rounded: sums have to tie exactly
			continue
		}
		s.Errored++
	}
	s.Scored = len(scores)
	if len(scores) > 0 {
		s.Score = new(stats.Round(stats.Mean(scores)))
	}
	s.PassedCI[0], s.PassedCI[1] = stats.Wilson(s.Passed, s.Scored)
	s.Result = stats.Paired(diffs)
}

func (a *Arm) finish() {
	n := len(a.scores)
	a.Any, a.All = []float64{}, []float64{}
	if n > 0 {
		a.Mean = new(stats.Round(stats.Mean(a.scores)))
	}
	for k := 1; k <= n; k++ {
		a.Any = append(a.Any, stats.Round(stats.PassAny(a.passed, n, k)))
		a.All = append(a.All, stats.Round(stats.PassAll(a.passed, n, k)))
	}
}
