package eval

// What an ablation prints besides its result: what it would do, what it did, and what would
// be cut from the skill.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"skills/internal/eval/report"
	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/lint/fix"
	"skills/internal/printable"
)

// DryRun prints the parts, their tokens, and the requests that measuring them takes.
func (a *Ablation) DryRun(w io.Writer, width int) error {
	d := report.Document{Subject: a.cases.suite.Skill, Verdict: printable.Plural(len(a.removals), "part")}
	table := report.Table{Title: "Parts", Note: "in this order; stored runs are not repeated", Header: []string{"part", "tokens", "in", "runs", "stored", "requests", "at most"}}
	add := func(name, saved, where string, s *skillEval) {
		if s == nil {
			return
		}
		one := forecast{}
		one.addRuns(a.e, s)
		table.Add(name, saved, where, fmt.Sprint(len(s.runs)), fmt.Sprint(len(s.runs)-one.runs), fmt.Sprint(one.usual), fmt.Sprint(one.most))
	}
	add("the whole skill", "", "", a.cases)
	if a.queries != nil {
		add("the whole skill, queries", "", "", a.queries)
	}
	for _, r := range a.removals {
		add(r.Name, printable.Grouped(int64(r.Tokens)), places(r.Saved), r.s)
		if r.Reason != "" {
			d.Detail("%s is not measured: %s", r.Name, r.Reason)
		}
	}
	d.Summary = fmt.Sprintf("%s of each, with the whole skill and without the part", printable.Plural(len(a.cases.suite.Cases), "case"))
	all := forecast{}
	all.add(a.e)
	d.Detail("In all %v, then as many as for one part if several can go.", all)
	alone := stats.Without(ones(len(a.cases.suite.Cases)), ones(len(a.cases.suite.Cases)), a.Margin)
	if alone.Needed > 0 {
		d.Detail("If no case loses anything, a mean loss of up to %.2f could still be missed; it takes about %d cases to exclude %.2f.", alone.Missed, alone.Needed, a.Margin)
	}
	d.Detail("files: below %s", a.folder)
	d.Tables = []report.Table{table}
	return d.Write(w, "text", width)
}

// ones returns scores of cases that all pass.
func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// places returns where tokens are.
func places(saved map[string]int) string {
	return fmt.Sprint(slices.Sorted(maps.Keys(saved))[0])
}

// Forecast is [Forecast] of all parts.
func (a *Ablation) Forecast() string { return Forecast(a.e) }

// Outcome says what was done: reused runs, what this command used, and where the result is.
func (a *Ablation) Outcome() (lines []string) {
	reused, total := 0, 0
	for _, s := range a.e.skillEvals {
		for _, r := range s.runs {
			total++
			if r.done && r.stored != "" {
				reused++
			}
		}
	}
	if reused > 0 && !a.e.isReplay() {
		lines = append(lines, fmt.Sprintf("%s: %d of %d runs reused", a.cases.suite.Skill, reused, total))
	}
	lines = append(lines, "report: "+filepath.Join(a.folder, store.AblationPage))
	return append(lines, usedLine(a.e, "runs and judge")...)
}

// Diff prints what can go as a diff; the skill is not changed. An error says that there is
// nothing to cut, or that the parts are missed together.
func (a *Ablation) Diff(w io.Writer) error {
	var parts []part
	for _, r := range a.removals {
		if r.Outcome == stats.CanGo {
			parts = append(parts, r.parts...)
		}
	}
	none := func(format string, args ...any) error {
		return &fault.Error{Code: fault.Failed, Err: fmt.Errorf(format, args...), Concluded: true}
	}
	switch {
	case len(parts) == 0:
		return none("no part is shown to be without effect; nothing to cut")
	case a.combined != nil && a.combined.Outcome == stats.Hurts:
		return none("each of the parts can go, but not all of them: together they are missed")
	case a.combined != nil && a.combined.Outcome != stats.CanGo:
		return none("each of the parts can go, but that they can go together is not shown: %s; select one with --part", a.combined.Outcome)
	}
	dir, err := filepath.Rel(a.e.env.Dir, a.cases.suite.Dir)
	if err != nil {
		return err
	}
	whole := a.cases.arms[0].files
	left, _ := whole.without(a.skillFolder(), parts...)
	before, after := whole.below(a.skillFolder()), left.below(a.skillFolder())
	changes, skipped := fix.Changes{Dir: dir}, error(nil)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		now, kept := after[name]
		switch data := before[name].Data; {
		case kept && bytes.Equal(now.Data, data):
		case !kept && textTokens(data) == 0:
			skipped = errors.Join(skipped, fmt.Errorf("%s is no text; delete it yourself", name))
		default:
			changes.Files = append(changes.Files, fix.File{Name: name, Before: data, After: now.Data, Removed: !kept})
		}
	}
	if skipped != nil {
		a.e.o.Note(skipped.Error())
	}
	return fix.Diff(w, changes)
}
