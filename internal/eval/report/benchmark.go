package report

// A benchmark as a document: the verdict with its numbers and what it takes to know more,
// what the runs used, and tables of cases, assertions and errors.

import (
	"cmp"
	"fmt"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

func describe(b *store.Benchmark) Document {
	d := Document{Subject: cmp.Or(b.Meta.Skill, "benchmark")}
	d.conclude(b.Statistics)
	for _, a := range b.Summary.Arms {
		line := fmt.Sprintf("%s: %.0f %% passed", a.Configuration, 100*a.Rate.Mean)
		if a.Time != nil {
			line += fmt.Sprintf(", %.1f s", a.Time.Mean)
		}
		if a.Tokens != nil {
			line += fmt.Sprintf(", %.0f tokens", a.Tokens.Mean)
		}
		d.draw("%s a run", line)
	}
	for _, u := range b.Usage {
		d.Used(u)
	}
	if b.Pairwise != nil {
		d.pairwise(b.Pairwise)
	}
	if b.Meta.Stopped != "" {
		d.Detail("Incomplete: %s; %s not run.", b.Meta.Stopped, printable.Plural(b.Meta.NotRun, "run"))
	}
	for _, line := range about(b) {
		d.draw("%s", line)
	}
	d.Tables = tables(b)
	return d
}

// Used adds what runs used, if something is known.
func (d *Document) Used(u store.Usage) {
	if line := used(u); line != "" {
		d.draw("%s of %s: %s", u.Configuration, ran(u), line)
	}
}

// ran counts runs, and those that failed.
func ran(u store.Usage) string {
	text := printable.Plural(u.Runs, "run")
	if u.Configuration == store.PairUsage {
		text = printable.Plural(u.Runs, "pair")
	}
	if u.Failed > 0 {
		text += fmt.Sprintf(" (%d failed)", u.Failed)
	}
	return text
}

// used says what runs and their judge used, or is "" where nothing is known.
func used(u store.Usage) string {
	var parts []string
	amount := func(tokens *int64, cost *float64, what string) {
		if tokens == nil || *tokens == 0 {
			return
		}
		text := printable.Grouped(*tokens) + " tokens" + what
		if cost != nil && *cost > 0 {
			text += fmt.Sprintf(" (cost %.4f)", *cost)
		}
		parts = append(parts, text)
	}
	amount(u.Tokens, u.Cost, "")
	amount(u.JudgeTokens, u.JudgeCost, " of the judge")
	return strings.Join(parts, ", ")
}

// conclude sets the verdict, its numbers, and what so many cases could find.
func (d *Document) conclude(s store.Statistics) {
	if s.Baseline == "" {
		d.Verdict, d.Summary = "not compared", "no runs without the skill or with an older one"
	} else {
		d.Verdict = s.Verdict
		cases := printable.Plural(s.Cases, "case")
		d.Summary = fmt.Sprintf("difference %s over %s", number(s.Delta, "%+.2f"), cases)
		if s.CI != nil {
			d.Summary += fmt.Sprintf(", 95 %% interval %+.2f to %+.2f", s.CI[0], s.CI[1])
		}
		if s.P != nil {
			d.Summary += fmt.Sprintf(", sign-flip p %.3g", *s.P)
		}
		d.draw("%d better, %d equal, %d worse", s.Wins, s.Ties, s.Losses)
		if s.MDE80 != nil && *s.MDE80 > 0 {
			d.draw("In 80 of 100 experiments, %s like these find a difference of %.2f or more.", cases, *s.MDE80)
		}
		if s.Verdict == stats.Inconclusive {
			d.draw("A verdict takes at least %d cases. %s", stats.MinCases, Power())
			d.draw("More runs help where the runs of a case differ, more cases otherwise.")
		}
	}
	if h := s.Harness; h != (store.HarnessErrors{}) {
		d.Detail("Not graded, because model and server do not fit together: tool calls as text in %s, a reply without end in %d, a refused request in %d; see --tool-calls.",
			printable.Plural(h.CallsAsText, "run"), h.EndlessReplies, h.RefusedForms)
	}
	if s.Scored == 0 {
		d.Detail("No case was graded with the skill.")
		return
	}
	d.Detail("Every run with the skill passed in %d of %s (95 %% interval %.0f to %.0f %%); mean score %s.",
		s.Passed, printable.Plural(s.Scored, "case"), 100*s.PassedCI[0], 100*s.PassedCI[1], number(s.Score, "%.2f"))
}

// Power says how many cases differences need.
func Power() string {
	parts := printable.Map(stats.Power(), func(n stats.Needed) string {
		return fmt.Sprintf("%d for %+.1f", n.Cases, n.Difference)
	})
	return "To find a difference in 80 of 100 experiments with three runs each takes about so many cases: " + strings.Join(parts, ", ") + "."
}

func tables(b *store.Benchmark) []Table {
	table := func(title, note string, header ...string) Table {
		return Table{Title: title, Note: note, Header: header}
	}
	cases := table("Cases", "", "case", "with", "baseline", "difference", "runs that pass")
	failing := table("Failing assertions", "with the skill", "case", "assertion", "passed", "evidence")
	flaky := table("Flaky assertions", "runs of the same arm differ", "case", "assertion", "with", "baseline")
	silent := table("Assertions without a difference", "they pass, or fail, in every run of both arms",
		"case", "assertion", "passed")
	errors := table("Errors", "runs without a score, which count in no number above",
		"case", "arm", "run", "error")
	notes := table("Notes", "", "note")
	for _, t := range []*Table{&cases, &failing, &flaky, &silent, &errors} {
		t.drawn = true
	}
	for _, c := range b.Cases {
		id := string(c.ID)
		cases.Add(title(c), number(c.With.Mean, "%.2f"), number(c.Baseline.Mean, "%.2f"),
			cmp.Or(c.Excluded, number(c.Delta, "%+.2f")), passes(c.With)+" / "+passes(c.Baseline))
		for _, t := range c.Checks {
			if t.With.Passed < t.With.Total {
				failing.Add(id, t.Text, count(t.With), t.Evidence)
			}
			if t.Flaky() {
				flaky.Add(id, t.Text, count(t.With), count(t.Baseline))
			}
			if t.Silent() {
				silent.Add(id, t.Text, count(t.With))
			}
		}
	}
	pairs := pairTable(b.Pairwise)
	for _, e := range b.Errored {
		errors.Add(string(e.ID), e.Configuration, fmt.Sprint(e.Number), e.Error)
	}
	for _, n := range b.Notes {
		notes.Add(n)
	}
	return []Table{cases, pairs, failing, flaky, silent, errors, notes}
}

const unknown = "–" // in place of an unknown number

func title(c store.Case) string {
	if c.Name == "" || c.Name == string(c.ID) {
		return string(c.ID)
	}
	return string(c.ID) + ": " + c.Name
}

func number(v *float64, format string) string {
	if v == nil {
		return unknown
	}
	return fmt.Sprintf(format, *v)
}

func count(c store.Count) string {
	if c.Total == 0 {
		return unknown
	}
	return fmt.Sprintf("%d of %d", c.Passed, c.Total)
}

// passes returns how many runs of a case passed without a failed check.
func passes(a store.Arm) string {
	return count(store.Count{Passed: a.Passed(), Total: len(a.All)})
}
