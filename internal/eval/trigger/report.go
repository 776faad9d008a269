package trigger

import (
	"fmt"
	"io"
	"strings"

	"skills/internal/eval/report"
	"skills/internal/printable"
)

// Failed returns how many queries did not pass.
func (r *Report) Failed() (n int) {
	for _, q := range r.Queries {
		if q.Passed != nil && !*q.Passed {
			n++
		}
	}
	return n
}

// Incomplete returns why the report does not answer the question, or "": the control did
// not load the skill, a budget was reached, or too many runs failed.
func (r *Report) Incomplete() string {
	failed, total := len(r.Control.Errors), r.Control.Runs+len(r.Control.Errors)
	for _, q := range r.Queries {
		failed, total = failed+len(q.Errors), total+q.Runs+len(q.Errors)
	}
	switch {
	case r.Stopped != "":
		return r.Stopped + " reached"
	case 5*failed > total:
		return fmt.Sprintf("%d of %s failed", failed, printable.Plural(total, "run"))
	case r.Control.Triggered == 0:
		return "the model does not load the skill even when told to by name"
	}
	return ""
}

// Write writes the report as text, json or markdown. Errors are those of w.
func (r *Report) Write(w io.Writer, format string) error {
	if format == "json" {
		return printable.WriteJSON(w, r)
	}
	d := report.Document{Subject: r.Skill, Verdict: "all queries pass", Summary: fmt.Sprintf(
		"recall %s, specificity %s, precision %s", r.Recall, r.Specificity, r.Precision)}
	if n := r.Failed(); n > 0 {
		d.Verdict = fmt.Sprintf("%d of %d queries fail", n, len(r.Queries))
	}
	if why := r.Incomplete(); why != "" {
		d.Verdict = "incomplete: " + why
	}
	d.Details = []string{
		fmt.Sprintf("control: loaded in %d of %s that name the skill", r.Control.Triggered, printable.Plural(r.Control.Runs, "run")),
		fmt.Sprintf("%d calls, %s tokens", r.Calls, printable.Grouped(r.Tokens)),
		"catalogue: " + strings.Join(append([]string{r.Skill}, r.Siblings...), ", "),
		"This measures the loop and the catalogue of this program; other clients present skills differently.",
	}
	if r.Client != "" {
		d.Details[3] = "This measures the loop of this program with the catalogue of " + r.Client + "."
	}
	failing := report.Table{Title: "Queries that fail", Header: []string{"query", "should load it", "loaded in", "loaded instead"}}
	missing := report.Table{Title: "Errors", Note: "no result, neither loaded nor not loaded", Header: []string{"query", "error"}}
	for _, q := range append([]Query{r.Control}, r.Queries...) {
		for _, e := range q.Errors {
			missing.Rows = append(missing.Rows, report.Row(q.Query.Query, e))
		}
		if q.Passed != nil && !*q.Passed {
			should := map[bool]string{true: "yes", false: "no"}[q.ShouldTrigger]
			failing.Rows = append(failing.Rows, report.Row(q.Query.Query, should, fmt.Sprintf("%d of %d", q.Triggered, q.Runs), strings.Join(q.Others, ", ")))
		}
	}
	d.Tables = []report.Table{failing, missing}
	return d.Write(w, format)
}

// String returns the numbers of queries and the interval.
func (r Rate) String() string {
	if r.Total == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d/%d (%.0f to %.0f %%)", r.Passed, r.Total, 100*r.CI[0], 100*r.CI[1])
}
