package eval

// The result of a measurement in the formats of a benchmark: what a query is here, is a case
// there. In JUnit, a query is a test.

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/printable"
	checks "skills/internal/report"
)

// Write writes the report in one of the formats of package report. Errors are those of w.
func (r *TriggerReport) Write(w io.Writer, format string, to report.Target) error {
	switch format {
	case "json":
		return printable.WriteJSON(w, r)
	case "jsonl":
		return r.writeLines(w)
	case "junit":
		return r.writeJUnit(w)
	}
	return r.document().Write(w, format, to.Width)
}

// document returns the report for people.
func (r *TriggerReport) document() report.Document {
	d := report.Document{Subject: r.Skill, Verdict: "all queries pass", Summary: fmt.Sprintf(
		"recall %s, specificity %s, precision %s", r.Recall, r.Specificity, r.Precision)}
	if n := r.Failed(); n > 0 {
		d.Verdict = fmt.Sprintf("%d of %d queries fail", n, len(r.Queries))
	}
	if why := r.Incomplete(); why != "" {
		d.Verdict = "incomplete: " + why
	}
	d.Detail("control: loaded in %d of %s that name the skill", r.Control.Triggered, printable.Plural(r.Control.Runs, "run"))
	d.Detail("%d calls, %s tokens", r.Calls, printable.Grouped(r.Tokens))
	for _, u := range r.Usage {
		d.Used(u)
	}
	d.Detail("catalogue: %s", strings.Join(append([]string{r.Skill}, r.Siblings...), ", "))
	for _, about := range [][2]string{{"model", r.Model}, {"started", r.Started}} {
		if about[1] != "" {
			d.Detail("%s %s", about[0], about[1])
		}
	}
	if r.Client == "" {
		d.Detail("This measures the loop and the catalogue of this program; other clients present skills differently.")
	} else {
		d.Detail("This measures the loop of this program with the catalogue of %s.", r.Client)
	}
	if r.Suggestion != nil {
		d.Detail("%s", r.Suggestion.Found)
	}
	failing := report.Table{Title: "Queries that fail", Header: []string{"query", "should load it", "loaded in", "loaded instead"}}
	missing := report.Table{Title: "Errors", Note: "no result, neither loaded nor not loaded", Header: []string{"query", "error"}}
	for _, q := range append([]QueryResult{r.Control}, r.Queries...) {
		for _, e := range q.Errors {
			missing.Add(q.Query.Query, e)
		}
		if q.failed() {
			should := map[bool]string{true: "yes", false: "no"}[q.ShouldTrigger]
			rate := fmt.Sprintf("%d of %d", q.Triggered, q.Runs)
			failing.Add(q.Query.Query, should, rate, strings.Join(q.Others, ", "))
		}
	}
	d.Tables = []report.Table{failing, missing}
	return d
}

// writeLines writes a line for the control and each query, and a last one with the rest.
func (r *TriggerReport) writeLines(w io.Writer) (err error) {
	line := func(kind string, v any) {
		if err == nil {
			_, err = fmt.Fprintf(printable.EscapeJSON(w), "{\"type\":%q,%s\n", kind, strings.TrimPrefix(printable.JSONText(v), "{"))
		}
	}
	line("control", r.Control)
	for _, q := range r.Queries {
		line("query", q)
	}
	rest := *r
	rest.Queries = []QueryResult{}
	line("trigger", rest)
	return err
}

// writeJUnit writes a test suite with a test for each query; what the runs used are its
// properties.
func (r *TriggerReport) writeJUnit(w io.Writer) error {
	var tests, properties strings.Builder
	attribute := func(s string) string { return checks.XMLText(printable.Line(s)) }
	failures, errors := 0, 0
	for _, q := range append([]QueryResult{r.Control}, r.Queries...) {
		fmt.Fprintf(&tests, "    <testcase classname=\"%s\" name=\"%s\">", attribute(r.Skill), attribute(q.Query.Query))
		switch {
		case q.Passed == nil:
			errors++
			fmt.Fprintf(&tests, "<error message=\"no run was counted\">%s</error>", checks.XMLText(printable.Text(strings.Join(q.Errors, "\n"))))
		case !*q.Passed:
			failures++
			fmt.Fprintf(&tests, "<failure message=\"should load it: %t; loaded in %d of %d\"/>", q.ShouldTrigger, q.Triggered, q.Runs)
		}
		tests.WriteString("</testcase>\n")
	}
	property := func(name string, value any) {
		fmt.Fprintf(&properties, "      <property name=\"%s\" value=\"%v\"/>\n", name, value)
	}
	property("requests", r.Calls)
	property("tokens", r.Tokens)
	if total := r.total(); total.Cost != nil {
		property("cost", fmt.Sprintf("%.6f", *total.Cost))
	}
	_, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"skills eval trigger\">\n"+
		"  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n    <properties>\n%s    </properties>\n%s  </testsuite>\n</testsuites>\n",
		attribute(r.Skill), len(r.Queries)+1, failures, errors, &properties, &tests)
	return err
}

// total returns what all runs used.
func (r *TriggerReport) total() (u store.Usage) {
	if n := len(r.Usage); n > 0 {
		return r.Usage[n-1]
	}
	return u
}

// ReadTrigger reads the result of a measurement in the folder that a path names, nil if it
// names none. An error is a *fault.Error.
func ReadTrigger(dir string) (*TriggerReport, error) {
	folder := store.TriggerFolder(dir)
	if folder == "" {
		return nil, nil
	}
	var r TriggerReport
	if err := store.Load(filepath.Join(folder, store.TriggerFile), &r); err != nil {
		return nil, err
	}
	if r.Stopped != "" && !regexp.MustCompile(`^budget reached \([-a-z0-9. ]+\)$`).MatchString(r.Stopped) {
		r.Stopped = "a budget was reached" // the file may have another text
	}
	return &r, nil
}
