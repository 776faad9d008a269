package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
	checks "skills/internal/report"
)

// Document is what a report says, in any format.
type Document struct {
	Subject, Verdict, Summary string
	Details                   []string
	Tables                    []Table // those without rows are omitted
	picture                   string  // HTML
}

// Table is a table of a document. Title, note and header are plain words.
type Table struct {
	Title, Note string
	Header      []string
	Rows        [][]Cell
}

// Cell is the text of a cell.
type Cell struct {
	Text string
	html string // before the text
}

// Row returns a row of texts.
func Row(texts ...string) (row []Cell) {
	for _, t := range texts {
		row = append(row, Cell{Text: t})
	}
	return row
}

func title(c store.Case) string { return name(c.ID, c.Name) }

func name(id store.ID, name string) string {
	if name == "" || name == string(id) {
		return string(id)
	}
	return string(id) + ": " + name
}

func number(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

func count(c store.Count) string {
	if c.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", c.Passed, c.Total)
}

// conclude returns the result of statistics in one sentence, and what they could find.
func conclude(s store.Statistics) (summary string, details []string) {
	summary = fmt.Sprintf("difference %s over %s", number(s.Delta, "%+.2f"), printable.Plural(s.Cases, "case"))
	if s.CI != nil {
		summary += fmt.Sprintf(", 95 %% interval %+.2f to %+.2f", s.CI[0], s.CI[1])
	}
	if s.P != nil {
		summary += fmt.Sprintf(", sign-flip p %.3g", *s.P)
	}
	details = append(details, fmt.Sprintf("%d better, %d equal, %d worse", s.Wins, s.Ties, s.Losses))
	if s.MDE80 != nil {
		details = append(details, fmt.Sprintf("This many cases find a difference of %.2f or more (in 80 %% of experiments).", *s.MDE80))
	}
	if s.Verdict == stats.Inconclusive {
		details = append(details, "For a clearer result add more cases, not more runs; a verdict takes at least 6.")
	}
	return summary, details
}

func describe(b *store.Benchmark) Document {
	s := b.Statistics
	d := Document{Subject: cmp.Or(b.Meta.Skill, "benchmark"), Verdict: s.Verdict, picture: interval(s)}
	d.Summary, d.Details = conclude(s)
	if s.Baseline == "" {
		d.Verdict, d.Summary, d.Details, d.picture = "not compared", "no runs without the skill or with an older one", nil, ""
	}
	d.Details = append(d.Details, fmt.Sprintf("Every run with the skill passed in %d of %s (95 %% interval %.0f to %.0f %%); mean score %s.",
		s.Passed, printable.Plural(s.Scored, "case"), 100*s.PassedCI[0], 100*s.PassedCI[1], number(s.Score, "%.2f")))
	for _, a := range b.Summary.Arms {
		d.Details = append(d.Details, a.Configuration+mean(a.Rate, 100, ": %.0f %% passed")+mean(a.Time, 1, ", %.1f s")+mean(a.Tokens, 1, ", %.0f tokens")+" a run")
	}
	if b.Meta.Stopped != "" {
		d.Details = append(d.Details, fmt.Sprintf("Incomplete: %s; %s not run.", b.Meta.Stopped, printable.Plural(b.Meta.NotRun, "run")))
	}
	for _, about := range [][2]string{{"model ", b.Meta.Model}, {"judge ", b.Meta.Judge}, {"started ", b.Meta.Timestamp}} {
		if about[1] != "" {
			d.Details = append(d.Details, about[0]+about[1])
		}
	}
	cases := Table{Title: "Cases", Header: []string{"case", "with", "baseline", "difference", "every run passes"}}
	failing := Table{Title: "Failing assertions", Note: "with the skill", Header: []string{"case", "assertion", "passed", "evidence"}}
	flaky := Table{Title: "Flaky assertions", Note: "runs of the same arm differ", Header: []string{"case", "assertion", "with", "baseline"}}
	silent := Table{Title: "Assertions that tell nothing", Note: "they pass, or fail, in every run of both arms", Header: []string{"case", "assertion", "passed"}}
	for _, c := range b.Cases {
		difference := number(c.Delta, "%+.2f")
		if c.Excluded != "" {
			difference = c.Excluded
		}
		cases.Rows = append(cases.Rows, []Cell{
			{Text: title(c)}, {number(c.With.Mean, "%.2f"), dots(b, c, true)}, {number(c.Baseline.Mean, "%.2f"), dots(b, c, false)},
			{Text: difference}, {Text: chance(c.With) + " / " + chance(c.Baseline)},
		})
		for _, t := range c.Checks {
			if t.With.Passed < t.With.Total {
				failing.Rows = append(failing.Rows, Row(string(c.ID), t.Text, count(t.With), t.Evidence))
			}
			if t.Flaky() {
				flaky.Rows = append(flaky.Rows, Row(string(c.ID), t.Text, count(t.With), count(t.Baseline)))
			}
			if t.Silent() {
				silent.Rows = append(silent.Rows, Row(string(c.ID), t.Text, count(t.With)))
			}
		}
	}
	errored := Table{Title: "Errors", Note: "runs without a score, which count in no number above", Header: []string{"case", "arm", "run", "error"}}
	for _, e := range b.Errored {
		errored.Rows = append(errored.Rows, Row(string(e.ID), e.Configuration, fmt.Sprint(e.Number), e.Error))
	}
	notes := Table{Title: "Notes", Header: []string{"note"}}
	for _, n := range b.Notes {
		notes.Rows = append(notes.Rows, Row(n))
	}
	d.Tables = []Table{cases, failing, flaky, silent, errored, notes}
	return d
}

func mean(s *store.Stat, factor float64, format string) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(format, s.Mean*factor)
}

// chance returns the chance that all runs of a case pass if the case is run as often.
func chance(a store.Arm) string {
	if len(a.All) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*a.All[len(a.All)-1])
}

func describeComparison(c *store.Comparison) Document {
	d := Document{Subject: cmp.Or(c.After.Skill, "comparison"), Verdict: c.Statistics.Verdict}
	d.Summary, d.Details = conclude(c.Statistics)
	t := Table{Title: "Cases", Note: "mean scores with the skill", Header: []string{"case", "before", "after", "difference"}}
	for _, r := range c.Rows {
		difference := number(r.Delta, "%+.2f")
		if r.Excluded != "" {
			difference = "not compared: " + r.Excluded
		}
		t.Rows = append(t.Rows, Row(name(r.ID, r.Name), number(r.Before, "%.2f"), number(r.After, "%.2f"), difference))
	}
	d.Tables = []Table{t}
	return d
}

// maxCell is the most code points of a cell.
const maxCell = 400

// Write writes the document as text, markdown or html. Errors are those of w.
func (d Document) Write(w io.Writer, format string) error {
	var b strings.Builder
	escape := printable.Line
	switch format {
	case "html":
		d.html(&b)
		_, err := io.WriteString(w, b.String())
		return err
	case "markdown":
		escape = checks.MarkdownText
	}
	if format == "markdown" {
		fmt.Fprintf(&b, "## %s: %s\n\n%s\n\n", escape(d.Subject), d.Verdict, d.Summary)
	} else {
		fmt.Fprintf(&b, "%s: %s\n%s\n", escape(d.Subject), d.Verdict, d.Summary)
	}
	for _, line := range d.Details {
		fmt.Fprintf(&b, "- %s\n", escape(line))
	}
	for _, t := range d.Tables {
		if len(t.Rows) == 0 {
			continue
		}
		heading := strings.TrimSuffix(t.Title+" ("+t.Note+")", " ()")
		if format == "markdown" {
			fmt.Fprintf(&b, "\n### %s\n\n| %s |\n|%s\n", heading, strings.Join(t.Header, " | "), strings.Repeat("---|", len(t.Header)))
		} else {
			fmt.Fprintf(&b, "\n%s\n", heading)
		}
		columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		if format != "markdown" {
			fmt.Fprintln(columns, "  "+strings.Join(t.Header, "\t"))
		}
		for _, row := range t.Rows {
			texts := make([]string, len(row))
			for i, c := range row {
				texts[i] = escape(printable.Truncate(c.Text, maxCell))
			}
			if format == "markdown" {
				fmt.Fprintf(&b, "| %s |\n", strings.Join(texts, " | "))
			} else {
				fmt.Fprintln(columns, "  "+strings.Join(texts, "\t"))
			}
		}
		columns.Flush() // into memory
	}
	_, err := io.WriteString(w, b.String())
	return err
}
