// Package report writes benchmarks and comparisons in formats for users, scripts and CI
// services.
package report

import (
	"fmt"
	"io"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/printable"
	checks "skills/internal/report"
)

// Formats returns the names of the formats, the default first. The last three are for
// benchmarks only.
func Formats() []string { return []string{"text", "json", "markdown", "html", "jsonl", "junit"} }

// Write writes a benchmark in one of the formats. Errors are those of w.
func Write(w io.Writer, format string, b *store.Benchmark) error {
	switch format {
	case "json":
		return printable.WriteJSON(w, b)
	case "jsonl":
		return writeLines(w, b)
	case "junit":
		return writeJUnit(w, b)
	}
	return describe(b).Write(w, format)
}

// WriteComparison writes a comparison as text, json or markdown.
func WriteComparison(w io.Writer, format string, c *store.Comparison) error {
	if format == "json" {
		return printable.WriteJSON(w, c)
	}
	return describeComparison(c).Write(w, format)
}

// writeLines writes a line for each run and a last one with the rest.
func writeLines(w io.Writer, b *store.Benchmark) error {
	out := printable.EscapeJSON(w)
	var err error
	line := func(kind string, v any) {
		if err == nil {
			_, err = fmt.Fprintf(out, "{\"type\":%q,%s\n", kind, strings.TrimPrefix(printable.JSONText(v), "{"))
		}
	}
	for _, r := range b.Runs {
		line("run", r)
	}
	for _, r := range b.Errored {
		line("error", r)
	}
	rest := *b
	rest.Runs, rest.Errored = []store.Result{}, []store.Failure{}
	line("benchmark", rest)
	return err
}

// writeJUnit writes a test suite for each case and a test for each assertion, which fails
// if it failed in a run with the skill.
func writeJUnit(w io.Writer, b *store.Benchmark) error {
	var out strings.Builder
	out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"skills eval\">\n")
	for _, c := range b.Cases {
		var tests strings.Builder
		total, failures := 0, 0
		for _, t := range c.Checks {
			if t.With.Total == 0 {
				continue
			}
			total++
			fmt.Fprintf(&tests, "    <testcase classname=\"%s\" name=\"%s\">", attribute(title(c)), attribute(t.Text))
			if t.With.Passed < t.With.Total {
				failures++
				fmt.Fprintf(&tests, "<failure message=\"passed in %s\">%s</failure>", count(t.With), checks.XMLText(printable.Text(t.Evidence)))
			}
			tests.WriteString("</testcase>\n")
		}
		if c.With.Errored > 0 {
			total++
			fmt.Fprintf(&tests, "    <testcase classname=\"%s\" name=\"runs\"><error message=\"%s ended with an error\"/></testcase>\n",
				attribute(title(c)), printable.Plural(c.With.Errored, "run"))
		}
		fmt.Fprintf(&out, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n%s  </testsuite>\n",
			attribute(title(c)), total, failures, min(c.With.Errored, 1), &tests)
	}
	out.WriteString("</testsuites>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func attribute(s string) string { return checks.XMLText(printable.Line(s)) }
