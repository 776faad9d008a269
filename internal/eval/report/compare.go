package report

// A comparison of two sides, and an eval of several models, as documents.

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
	checks "skills/internal/report"
)

// ComparisonFormats returns the formats of a comparison, the default first.
func ComparisonFormats() []string { return []string{"text", "json", "markdown", "html"} }

// WriteComparison writes a comparison like [Write].
func WriteComparison(w io.Writer, format string, to Target, c *store.Comparison) error {
	if format == "json" {
		return printable.WriteJSON(w, c)
	}
	return describeComparison(c).Write(w, format, to.Width)
}

func describeComparison(c *store.Comparison) Document {
	d := Document{
		Subject: fmt.Sprintf("%s: %s compared with %s", cmp.Or(c.Skill, "benchmark"), c.After.Name, c.Before.Name),
		Verdict: c.With.Verdict, Summary: "with the skill: " + evidence(c.With), result: &c.With,
	}
	for _, line := range c.Conclusions {
		d.Detail("%s", line)
	}
	d.Detail("%d better, %d equal, %d worse", c.With.Wins, c.With.Ties, c.With.Losses)
	counted := func(ids []store.ID, what string) {
		if len(ids) > 0 {
			names := strings.Join(printable.Map(ids, func(id store.ID) string { return string(id) }), ", ")
			d.Detail("%s not compared, %s: %s", printable.Plural(len(ids), "case"), what, names)
		}
	}
	counted(c.OnlyBefore, "only in "+c.Before.Name)
	counted(c.OnlyAfter, "only in "+c.After.Name)
	counted(c.Different, "with different assertions")
	for _, s := range []store.Side{c.Before, c.After} {
		about := ""
		for _, text := range []string{s.Model, s.Timestamp} {
			if text != "" {
				about += ", " + text
			}
		}
		if line := s.Path + about; line != s.Name {
			d.Detail("%s is %s", s.Name, line)
		}
	}
	if s := c.With; s.Verdict == stats.Inconclusive {
		d.Detail("%s", moreCases(s.Cases < stats.MinCases))
	}
	all := Table{Title: "Comparison", Note: "means over shared cases", Header: []string{"", "before", "after", "difference", "95 % interval", "verdict"}}
	all.Add("with the skill", number(c.Before.With, "%.2f"), number(c.After.With, "%.2f"), number(c.With.Delta, "%+.2f"), bounds(c.With.CI), c.With.Verdict)
	if c.Baseline.Cases > 0 {
		all.Add(armName(c.Before.Configuration), number(c.Before.Baseline, "%.2f"), number(c.After.Baseline, "%.2f"),
			number(c.Baseline.Delta, "%+.2f"), bounds(c.Baseline.CI), c.Baseline.Verdict)
		all.Add("lift of the skill", number(c.Before.Lift.Delta, "%+.2f"), number(c.After.Lift.Delta, "%+.2f"),
			number(c.Lift.Delta, "%+.2f"), bounds(c.Lift.CI), c.Lift.Verdict)
	}
	cases := Table{Title: "Cases", Note: "scores before and after", Header: []string{"case", "with the skill", "difference", "baseline", "lift"}}
	both := func(v [2]*float64) string { return number(v[0], "%.2f") + " → " + number(v[1], "%.2f") }
	for _, one := range c.Cases {
		cases.Add(title(store.Case{ID: one.ID, Name: one.Name}), both(one.With), cmp.Or(one.Excluded, number(one.Delta, "%+.2f")),
			both(one.Baseline), number(one.Lift, "%+.2f"))
	}
	d.Tables = []Table{all, cases}
	return d
}

// armName returns the name of a configuration for readers.
func armName(configuration string) string {
	switch configuration {
	case store.WithoutSkill:
		return "without the skill"
	case store.OldSkill:
		return "with the older skill"
	}
	return "with the skill"
}

// evidence says what a result rests on.
func evidence(r stats.Result) string {
	text := fmt.Sprintf("difference %s over %s", number(r.Delta, "%+.2f"), printable.Plural(r.Cases, "case"))
	if r.CI != nil {
		text += ", 95 % interval " + bounds(r.CI)
	}
	if r.P != nil {
		text += fmt.Sprintf(", sign-flip p %.3g", *r.P)
	}
	return text
}

// bounds returns an interval, or the mark of an unknown one.
func bounds(ci *[2]float64) string {
	if ci == nil {
		return unknown
	}
	return fmt.Sprintf("%+.2f to %+.2f", ci[0], ci[1])
}

// WriteModels writes an eval of several models like [Write].
func WriteModels(w io.Writer, format string, to Target, t *store.Models) error {
	switch format {
	case "html":
		return writePage(w, to, describeModels(t), t.Models)
	case "json":
		return printable.WriteJSON(w, t)
	case "jsonl":
		return writeModelLines(w, t)
	case "junit":
		return writeSuites(w, t.Models)
	}
	return describeModels(t).Write(w, format, to.Width)
}

// writeModelLines writes the lines of each model, with its name, and the table at the end.
func writeModelLines(w io.Writer, t *store.Models) error {
	for _, m := range t.Models {
		if m.Benchmark == nil {
			continue
		}
		if err := writeLines(w, m.Model, m.Benchmark); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(printable.EscapeJSON(w), "{\"type\":\"models\",%s\n", strings.TrimPrefix(printable.JSONText(t.Short()), "{"))
	return err
}

func describeModels(t *store.Models) Document {
	d := Document{Subject: cmp.Or(t.Skill, "benchmark"), Verdict: printable.Plural(len(t.Models), "model"), Summary: "each model with the skill and with the baseline"}
	for _, c := range t.Comparisons {
		for _, line := range c.Conclusions {
			d.Detail("%s", line)
		}
	}
	inconclusive, few := false, false // few cases are why
	table := Table{drawn: true, Title: "Models", Note: "tokens, cost and time of all runs", Header: []string{"model", "with", "baseline", "lift", "95 % interval", "verdict", "tokens", "cost", "time"}}
	var measured []store.Model
	for _, m := range t.Models {
		tokens := unknown
		if m.Tokens != nil {
			tokens = printable.Grouped(*m.Tokens)
		}
		verdict := m.Verdict
		switch {
		case m.Error != "":
			verdict = "failed"
			d.Detail("%s failed: %s", m.Model, m.Error)
		case m.Stopped != "":
			d.Detail("%s is incomplete: %s; %s not run.", m.Model, m.Stopped, printable.Plural(m.Benchmark.Meta.NotRun, "run"))
		}
		if m.Benchmark != nil {
			measured = append(measured, m)
			if n := m.Benchmark.Statistics.ErroredRuns; n > 0 {
				d.Detail("%s: %s failed, and count in no number.", m.Model, printable.Plural(n, "run"))
			}
		}
		few = few || verdict == stats.Inconclusive && m.Benchmark != nil && m.Benchmark.Statistics.Cases < stats.MinCases
		inconclusive = inconclusive || verdict == stats.Inconclusive
		table.Add(m.Model, number(m.With, "%.2f"), number(m.Baseline, "%.2f"), number(m.Delta, "%+.2f"), bounds(m.CI), verdict,
			tokens, number(m.Cost, "%.4f"), number(m.Time, "%.1f s"))
	}
	if inconclusive {
		d.draw("%s", moreCases(few))
	}
	d.Tables = []Table{table, caseTable(measured)}
	return d
}

// caseTable shows each case with each model: its score with the skill and the difference.
func caseTable(models []store.Model) Table {
	table := Table{drawn: true, Title: "Cases", Note: "score with the skill, and the difference to the baseline", Header: []string{"case"}}
	row := map[store.ID]int{}
	for i, m := range models {
		table.Header = append(table.Header, m.Model)
		for _, c := range m.Benchmark.Cases {
			at, known := row[c.ID]
			if !known {
				at = len(table.Rows)
				row[c.ID] = at
				table.Add(title(c))
			}
			for len(table.Rows[at]) <= i {
				table.Rows[at] = append(table.Rows[at], unknown)
			}
			table.Rows[at] = append(table.Rows[at], fmt.Sprintf("%s (%s)", number(c.With.Mean, "%.2f"), number(c.Delta, "%+.2f")))
		}
	}
	for i, cells := range table.Rows {
		for len(cells) < len(table.Header) {
			cells = append(cells, unknown)
		}
		table.Rows[i] = cells
	}
	return table
}

// writeSuites writes JUnit's test suites of each model.
func writeSuites(w io.Writer, models []store.Model) error {
	var out strings.Builder
	for _, m := range models {
		if m.Benchmark != nil {
			addSuites(&out, m.Model+": ", m.Benchmark)
			continue
		}
		name := attribute(m.Model)
		fmt.Fprintf(&out, "  <testsuite name=\"%s\" tests=\"1\" failures=\"0\" errors=\"1\">\n    <testcase classname=\"%s\" name=\"runs\"><error message=\"%s\"/></testcase>\n  </testsuite>\n",
			name, name, checks.XMLText(printable.Line(m.Error)))
	}
	return finishSuites(w, out.String())
}
