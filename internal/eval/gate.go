package eval

import (
	"fmt"
	"slices"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// Gate is what a benchmark must show for exit code 0.
type Gate struct {
	Names              []string // of GateNames
	Threshold, MinLift float64
	RequireVerdict     bool
	offline            bool // recordings are played
}

// GateNames returns the values of --gate.
func GateNames() []string { return []string{"pass", "lift", "no-regression"} }

// maxErrored is the share of runs that may fail before a result counts as incomplete.
const maxErrored = 0.2

func (g Gate) check(alone bool) error {
	for _, name := range g.Names {
		if !slices.Contains(GateNames(), name) {
			return fault.Usage(suggest.Hint(name, GateNames(), ""), "unknown gate %q", name)
		}
	}
	if !(g.Threshold >= 0 && g.Threshold <= 1) { // also if it is not a number
		return fault.Usage("pass a score from 0 to 1, such as 0.8", "--threshold %v is not between 0 and 1", g.Threshold)
	}
	if !(g.MinLift >= -1 && g.MinLift <= 1) {
		return fault.Usage("pass a difference of scores, such as 0.1", "--min-lift %v is not between -1 and 1", g.MinLift)
	}
	compares := g.RequireVerdict || slices.Contains(g.Names, "lift") || slices.Contains(g.Names, "no-regression")
	if alone && compares {
		return fault.Usage("omit --baseline none", "--gate lift, --gate no-regression and --require-verdict need a baseline")
	}
	return nil
}

// worst returns the error of the benchmark that is the most incomplete or misses a gate, or nil.
func worst(g Gate, all []*store.Benchmark) error {
	var missed *fault.Error
	for _, b := range all {
		if err := g.judge(b); err != nil && (missed == nil || err.Code > missed.Code) {
			missed = err
		}
	}
	if missed == nil {
		return nil
	}
	return missed
}

// judge returns why a benchmark is incomplete or misses a gate, or nil.
func (g Gate) judge(b *store.Benchmark) *fault.Error {
	s := b.Statistics
	again := "run it again; finished runs are not repeated"
	if g.offline {
		again = "record it again: run it with a server, without --offline"
	}
	fails := func(code int, hint, format string, args ...any) *fault.Error {
		return &fault.Error{Code: code, Err: fmt.Errorf("%s: %w", b.Meta.Skill, fmt.Errorf(format, args...)), Hint: hint, Concluded: true}
	}
	switch {
	case b.Meta.Stopped != "" && b.Meta.NotRun == 0 && b.Pairwise != nil:
		return fails(fault.Limit, "run it again with a larger budget; finished runs are not repeated", "%s: %s not compared", b.Meta.Stopped, printable.Plural(b.Pairwise.NotJudged, "pair"))
	case b.Meta.Stopped != "":
		return fails(fault.Limit, "run it again with a larger budget; finished runs are not repeated", "%s: %s not run", b.Meta.Stopped, printable.Plural(b.Meta.NotRun, "run"))
	case float64(s.ErroredRuns) > maxErrored*float64(s.Runs):
		return fails(fault.Limit, again, "%d of %s failed: %s", s.ErroredRuns, printable.Plural(s.Runs, "run"), b.Errored[0].Error)
	case g.RequireVerdict && s.Verdict == stats.Inconclusive:
		return fails(fault.Limit, "add cases; more runs of the same cases help less", "the result is inconclusive")
	}
	score := 0.0
	if s.Score != nil {
		score = *s.Score
	}
	unproven := g.MinLift >= 0 && s.Verdict != stats.Better
	const hint = "report.html in the workspace shows the assertions that fail"
	switch {
	case slices.Contains(g.Names, "pass") && score < g.Threshold:
		return fails(fault.Failed, hint, "gate pass: the mean score %.2f is below %g", score, g.Threshold)
	case slices.Contains(g.Names, "lift") && s.CI == nil:
		return fails(fault.Failed, "add cases", "gate lift: there is no interval")
	case slices.Contains(g.Names, "lift") && s.Cases < stats.MinCases:
		return fails(fault.Failed, "add cases", "gate lift: %s give no verdict; it takes %d", printable.Plural(s.Cases, "case"), stats.MinCases)
	case slices.Contains(g.Names, "lift") && unproven && s.CI[0] > g.MinLift:
		return fails(fault.Failed, "add cases", "gate lift: the result is %s", s.Verdict)
	case slices.Contains(g.Names, "lift") && s.CI[0] <= g.MinLift:
		return fails(fault.Failed, hint, "gate lift: the lower end of the interval, %.2f, is not above %g", s.CI[0], g.MinLift)
	case slices.Contains(g.Names, "no-regression") && s.Verdict == stats.Worse:
		return fails(fault.Failed, hint, "gate no-regression: worse than the baseline")
	}
	return nil
}
