package calibrate

import (
	"fmt"
	"io"

	"skills/internal/agent"
	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

// Formats returns the names of the formats, the default first.
func Formats() []string { return []string{"text", "json", "markdown"} }

// Write writes the report in one of the formats. Text has lines of at most width columns; 0
// is no limit. Errors are those of w.
func (r *Report) Write(w io.Writer, format string, width int) error {
	if format == "json" {
		return printable.WriteJSON(w, r)
	}
	d := report.Document{Subject: printable.Line(r.Judge), Verdict: "agreement " + r.Agreement.String(), Summary: fmt.Sprintf(
		"%s, %d decisions not labelled", printable.Plural(r.Examples, "example"), r.Unlabelled)}
	if why := r.Incomplete(); why != "" {
		d.Verdict += ", incomplete: " + why
	}
	if s := r.Sentences; s.Agreement.Total > 0 {
		d.Detail("sentences: agreement %s%s", s.Agreement, kappaText(s.Kappa))
		d.Detail("false pass: %s of the sentences that fail for the person", s.FalsePass)
		d.Detail("false fail: %s of the sentences that pass for the person", s.FalseFail)
	}
	if r.Pairs.Agreement.Total > 0 {
		r.pairs(&d)
	}
	if r.Votes > 1 {
		d.Detail("consistency: all %d votes equal in %s decisions", r.Votes, r.Consistency)
	}
	line := fmt.Sprintf("%s, %s tokens", printable.Plural(r.Requests, "request"), printable.Grouped(r.Tokens))
	if r.Cost != nil {
		line += ", cost " + agent.Amount(*r.Cost)
	}
	d.Detail("%s", line)
	differ := report.Table{Title: "Disagreements", Header: []string{"example", "sentence", "person", "judge", "reason"}}
	for _, x := range r.Disagreements {
		differ.Add(x.ID, x.Sentence, x.Person, x.Judge, x.Reason)
	}
	failed := report.Table{Title: "Errors", Note: "not judged, and in no number above", Header: []string{"example", "error"}}
	for _, e := range r.Errors {
		failed.Add(e.ID, e.Error)
	}
	d.Tables = []report.Table{differ, failed}
	return d.Write(w, format, width)
}

// pairs adds what the pairs show.
func (r *Report) pairs(d *report.Document) {
	p := r.Pairs
	d.Detail("pairs: agreement %s%s", p.Agreement, kappaText(p.Kappa))
	line := fmt.Sprintf("position: the verdict changes with the order in %s pairs; answers: %d first, %d second, %d tie", p.Position.Changed, p.Position.First, p.Position.Second, p.Position.Ties)
	if p.Position.P != nil {
		line += fmt.Sprintf("; sign test p %.3g", *p.Position.P)
	}
	if p.Position.Prefers != "neither" {
		line += fmt.Sprintf(": the judge prefers the %s place", p.Position.Prefers)
	}
	d.Detail("%s", line)
	for _, l := range []struct {
		rate store.Rate
		text string
	}{
		{p.Length.Judge, "length: the judge prefers the longer answer in %s pairs with a winner"},
		{p.Length.Person, "length: the person prefers the longer answer in %s pairs"},
		{p.Length.Against, "length: the judge prefers the longer answer in %s pairs in which the person does not"},
	} {
		if l.rate.Total > 0 {
			d.Detail(l.text, l.rate)
		}
	}
	if p.Length.JudgeCorrelation != nil {
		line := fmt.Sprintf("correlation of preference and length: judge %+.2f", *p.Length.JudgeCorrelation)
		if p.Length.PersonCorrelation != nil {
			line += fmt.Sprintf(", person %+.2f", *p.Length.PersonCorrelation)
		}
		d.Detail("%s", line)
	}
}

func kappaText(k *float64) string {
	if k == nil {
		return ""
	}
	return fmt.Sprintf(", Cohen's kappa %.2f", *k)
}
