package eval

import (
	"errors"
	"fmt"
	"slices"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/suggest"
)

// Gate is what a benchmark must show for exit code 0.
type Gate struct {
	Names              []string // of GateNames
	Threshold, MinLift float64
	RequireVerdict     bool
}

// GateNames returns the values of --gate.
func GateNames() []string { return []string{"pass", "lift", "no-regression"} }

// maxErrored is the share of runs that may fail before a result counts as incomplete.
const maxErrored = 0.2

func (g Gate) check(alone bool) error {
	for _, name := range g.Names {
		if !slices.Contains(GateNames(), name) {
			return runner.Refuse(suggest.Hint(name, GateNames(), ""), "unknown gate %q", name)
		}
	}
	if alone && (g.RequireVerdict || slices.Contains(g.Names, "lift") || slices.Contains(g.Names, "no-regression")) {
		return runner.Refuse("omit --baseline none", "--gate lift, --gate no-regression and --require-verdict need a baseline")
	}
	return nil
}

// judge returns why a benchmark is incomplete or misses a gate, or nil.
func (g Gate) judge(b *store.Benchmark) *runner.Error {
	s, hint, why := b.Statistics, "run it again; finished runs are not repeated", ""
	switch {
	case b.Meta.Stopped != "":
		hint, why = "run it again with a larger budget; finished runs are not repeated", b.Meta.Stopped+": "+printable.Plural(b.Meta.NotRun, "run")+" not run"
	case float64(s.ErroredRuns) > maxErrored*float64(s.Runs):
		why = fmt.Sprintf("%d of %s failed: %s", s.ErroredRuns, printable.Plural(s.Runs, "run"), b.Errored[0].Error)
	case g.RequireVerdict && s.Verdict == stats.Inconclusive:
		hint, why = "add cases; more runs of the same cases help less", "the result is inconclusive"
	}
	if why != "" {
		return &runner.Error{Code: runner.ExitLimit, Err: errors.New(b.Meta.Skill + ": " + why), Help: hint, Concluded: true}
	}
	low := (*float64)(nil)
	if s.CI != nil {
		low = &s.CI[0]
	}
	for _, name := range g.Names {
		switch {
		case name == "pass" && (s.Score == nil || *s.Score < g.Threshold):
			why = fmt.Sprintf("the mean score %s is below %g", number(s.Score), g.Threshold)
		case name == "lift" && (low == nil || *low <= g.MinLift):
			why = fmt.Sprintf("the lower end of the interval, %s, is not above %g", number(low), g.MinLift)
		case name == "no-regression" && s.Verdict == stats.Worse:
			why = "worse than the baseline"
		default:
			continue
		}
		return &runner.Error{Code: runner.ExitFailed, Err: fmt.Errorf("%s: gate %s: %s", b.Meta.Skill, name, why), Help: "report.html in the workspace shows the assertions that fail", Concluded: true}
	}
	return nil
}

func number(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2f", *v)
}
