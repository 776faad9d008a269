package eval

import (
	"strings"
	"testing"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/fault"
)

// TestGates judges benchmarks by each gate, at its limit too.
func TestGates(t *testing.T) {
	score, run := 0.7, []store.Failure{{Error: "no reply"}}
	bench := func(change func(b *store.Benchmark)) *store.Benchmark {
		b := &store.Benchmark{Errored: run}
		b.Statistics.Score, b.Statistics.Runs = &score, 10
		b.Statistics.Result = stats.Result{Cases: 6, CI: &[2]float64{0.1, 0.4}, Verdict: stats.Better}
		change(b)
		return b
	}
	same := func(*store.Benchmark) {}
	for name, tt := range map[string]struct {
		gate   Gate
		change func(b *store.Benchmark)
		code   int
		want   string
	}{
		"none":              {Gate{}, same, 0, ""},
		"pass":              {Gate{Names: []string{"pass"}, Threshold: 0.7}, same, 0, ""},
		"not pass":          {Gate{Names: []string{"pass"}, Threshold: 0.71}, same, 1, "the mean score 0.70 is below 0.71"},
		"no score":          {Gate{Names: []string{"pass"}, Threshold: 0.1}, func(b *store.Benchmark) { b.Statistics.Score = nil }, 1, "the mean score 0.00"},
		"lift":              {Gate{Names: []string{"lift"}, MinLift: 0.09}, same, 0, ""},
		"no lift":           {Gate{Names: []string{"lift"}, MinLift: 0.1}, same, 1, "the lower end of the interval, 0.10, is not above 0.1"},
		"no interval":       {Gate{Names: []string{"lift"}}, func(b *store.Benchmark) { b.Statistics.CI = nil }, 1, "there is no interval"},
		"lift of five":      {Gate{Names: []string{"lift"}}, func(b *store.Benchmark) { b.Statistics.Cases = 5 }, 1, "5 cases give no verdict; it takes 6"},
		"lift, no verdict":  {Gate{Names: []string{"lift"}}, func(b *store.Benchmark) { b.Statistics.Verdict = stats.Inconclusive }, 1, "the result is inconclusive"},
		"better":            {Gate{Names: []string{"no-regression"}}, same, 0, ""},
		"worse":             {Gate{Names: []string{"no-regression"}}, func(b *store.Benchmark) { b.Statistics.Verdict = stats.Worse }, 1, "worse than the baseline"},
		"inconclusive":      {Gate{Names: []string{"no-regression"}}, func(b *store.Benchmark) { b.Statistics.Verdict = stats.Inconclusive }, 0, ""},
		"a verdict":         {Gate{RequireVerdict: true}, func(b *store.Benchmark) { b.Statistics.Verdict = stats.Inconclusive }, 3, "inconclusive"},
		"few failed runs":   {Gate{}, func(b *store.Benchmark) { b.Statistics.ErroredRuns = 2 }, 0, ""},
		"many failed runs":  {Gate{}, func(b *store.Benchmark) { b.Statistics.ErroredRuns = 3 }, 3, "3 of 10 runs failed: no reply"},
		"the second fails":  {Gate{Names: []string{"pass", "no-regression"}}, func(b *store.Benchmark) { b.Statistics.Verdict = stats.Worse }, 1, "worse"},
		"stopped by budget": {Gate{}, func(b *store.Benchmark) { b.Meta.Stopped, b.Meta.NotRun = "budget", 2 }, 3, "2 runs not run"},
	} {
		got := tt.gate.judge(bench(tt.change))
		if got == nil && tt.code == 0 {
			continue
		}
		if got == nil || got.Code != tt.code || tt.code == fault.OK || !strings.Contains(got.Error(), tt.want) {
			t.Errorf("%s: got %v, want code %d, %q", name, got, tt.code, tt.want)
		}
	}
}
