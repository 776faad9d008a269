package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestAggregate checks the statistics: cases are the unit, errors are no scores, assertions
// of one arm are not part of the difference, and the order of runs does not matter.
func TestAggregate(t *testing.T) {
	run := func(id, configuration string, number int, passed ...bool) Run {
		r := Run{Case: id, Slug: "eval-" + id, Configuration: configuration, Number: number}
		for i, p := range passed {
			o := Outcome{Text: string(rune('a' + i)), Passed: p, Weight: 1}
			if p {
				o.Score = 1
			}
			r.Outcomes = append(r.Outcomes, o)
		}
		return r
	}
	loaded := run("10", WithSkill, 1, true)
	loaded.Outcomes = append(loaded.Outcomes, Outcome{Text: "skill_loaded", Weight: 1, Arm: "with"})
	broken := run("2", WithSkill, 2, true)
	broken.Error = "timeout"
	undecided := run("9", WithSkill, 1, true)
	undecided.Outcomes[0].Error = "the judge's server failed"
	runs := []Run{
		run("2", WithSkill, 1, true, false), broken, run("2", WithSkill, 3, true, true), run("2", WithoutSkill, 1, false, false),
		loaded, run("10", WithoutSkill, 1, true), undecided, run("9", WithoutSkill, 1, true),
	}
	b := Aggregate(runs, Meta{})
	reversed := []Run{}
	for _, r := range runs {
		reversed = append([]Run{r}, reversed...)
	}
	if diff := cmp.Diff(b, Aggregate(reversed, Meta{}), cmpopts.IgnoreUnexported(Arm{}, Summary{}, Numbers{})); diff != "" {
		t.Errorf("in another order:\n%s", diff)
	}
	if diff := cmp.Diff([]ID{"2", "9", "10"}, b.Meta.Evals); diff != "" {
		t.Error(diff)
	}
	two, nine, ten := b.Cases[0], b.Cases[1], b.Cases[2]
	if *two.Delta != 0.75 || two.With.Errored != 1 || *two.With.Mean != 0.75 {
		t.Errorf("case 2: %+v", two)
	}
	if diff := cmp.Diff([]float64{0.5, 1}, two.With.Any); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{0.5, 0}, two.With.All); diff != "" {
		t.Error(diff)
	}
	if nine.Delta != nil || nine.Excluded != "no scored run with the skill" {
		t.Errorf("case 9: %+v", nine)
	}
	if *ten.Delta != 0 || *ten.With.Mean != 0.5 {
		t.Errorf("case 10: %+v", ten)
	}
	s := b.Statistics
	if s.Cases != 2 || s.Errored != 1 || s.Runs != 8 || s.ErroredRuns != 2 || *s.Delta != 0.375 || *s.Score != 0.625 || s.Verdict != "inconclusive" || len(b.Errored) != 2 {
		t.Errorf("statistics: %+v", s)
	}
	if a := two.Checks[1]; !a.Flaky() || a.Silent() {
		t.Errorf("assertion b of case 2: %+v", a)
	}
	if a := ten.Checks[0]; a.Flaky() || !a.Silent() {
		t.Errorf("assertion a of case 10: %+v", a)
	}
}

// TestEqualTexts checks that two assertions of a case with the same text are counted apart:
// one that passes and one that fails are not one flaky assertion.
func TestEqualTexts(t *testing.T) {
	outcomes := []Outcome{{Text: "csv_rows out.csv", Passed: true, Score: 1, Weight: 1}, {Text: "csv_rows out.csv", Weight: 1}}
	var runs []Run
	for _, n := range []int{1, 2} {
		runs = append(runs, Run{Case: "1", Configuration: WithSkill, Number: n, Outcomes: outcomes})
	}
	got := Aggregate(runs, Meta{}).Cases[0].Checks
	want := []Tally{
		{Text: "csv_rows out.csv", With: Count{Passed: 2, Total: 2}},
		{Text: "csv_rows out.csv", With: Count{Total: 2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
