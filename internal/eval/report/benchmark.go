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

// knowMore says why a result is inconclusive, and how many cases find what.
func knowMore(s store.Statistics) string {
	if allTie(s) {
		return tied(s) + " " + Power()
	}
	return moreCases(s.Cases < stats.MinCases)
}

// moreCases says how many cases find what, and if there are too few for any verdict.
func moreCases(few bool) string {
	if few {
		return fmt.Sprintf("A verdict takes at least %d cases. %s", stats.MinCases, Power())
	}
	return Power()
}

// allTie reports whether no case differs, where so many could have a verdict.
func allTie(s store.Statistics) bool { return s.Cases >= stats.MinCases && s.Ties == s.Cases }

// tied says why cases that are all equal are no proof that there is no difference.
func tied(s store.Statistics) string {
	return fmt.Sprintf("All %d cases are equal in both arms, which is no proof: cases that always pass, or always fail, cannot show a difference.", s.Cases)
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
			d.draw("%s", knowMore(s))
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
	assertions := table("Assertions to look at", "they fail with the skill, are flaky, or tell nothing", "case", "assertion", "why", "with", "baseline", "evidence")
	errors := table("Errors", "runs without a score", "runs", "error", "where")
	notes := table("Notes", "", "note")
	for _, t := range []*Table{&cases, &assertions, &errors} {
		t.drawn = true
	}
	for _, c := range b.Cases {
		cases.Add(title(c), number(c.With.Mean, "%.2f"), number(c.Baseline.Mean, "%.2f"),
			cmp.Or(c.Excluded, number(c.Delta, "%+.2f")), passes(c.With)+" / "+passes(c.Baseline))
	}
	for _, l := range looks(b) {
		assertions.Add(string(b.Cases[l.index].ID), l.Text, strings.Join(l.words, ", "), count(l.With), count(l.Baseline), l.Evidence)
	}
	pairs := pairTable(b.Pairwise)
	for _, g := range groupedErrors(b) {
		errors.Add(fmt.Sprint(len(g.places)), g.message, printable.List(g.places, 3))
	}
	for _, n := range b.Notes {
		notes.Add(n)
	}
	return []Table{cases, pairs, assertions, errors, notes}
}

// look is an assertion that needs a look.
type look struct {
	store.Tally
	index int      // of its case
	words []string // why
}

// looks returns the assertions that fail with the skill, are flaky or tell nothing, each once.
func looks(b *store.Benchmark) (list []look) {
	for i, c := range b.Cases {
		for _, t := range c.Checks {
			words := notes(store.Tally{With: t.With, Baseline: t.Baseline})
			if t.With.Passed < t.With.Total {
				words = append([]string{"fails"}, words...)
			}
			if len(words) > 0 {
				list = append(list, look{t, i, words})
			}
		}
	}
	return list
}

// groupedErrors returns the errors of runs, equal ones once.
func groupedErrors(b *store.Benchmark) []group {
	var messages, places []string
	for _, e := range b.Errored {
		messages = append(messages, e.Error)
		places = append(places, fmt.Sprintf("case %s, %s, run %d", e.ID, arm(b, e.Configuration), e.Number))
	}
	return grouped(messages, places)
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
