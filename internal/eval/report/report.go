// Package report writes benchmarks in formats for users, scripts and CI services.
package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/printable"
	checks "skills/internal/report"
)

// Formats returns the names of the formats, the default first.
func Formats() []string { return []string{"text", "json", "markdown", "html", "jsonl", "junit"} }

// Write writes a benchmark in one of the formats. Errors are those of w.
func Write(w io.Writer, format string, to Target, b *store.Benchmark) error {
	switch format {
	case "html":
		return writePage(w, to, describe(b), []store.Model{{Model: b.Meta.Model, Benchmark: b}})
	case "json":
		return printable.WriteJSON(w, b)
	case "jsonl":
		return writeLines(w, "", b)
	case "junit":
		return writeJUnit(w, b)
	}
	return describe(b).Write(w, format, to.Width)
}

// writeLines writes a line for each run and a last one with the rest; all have the name of
// the model, unless it is "".
func writeLines(w io.Writer, model string, b *store.Benchmark) (err error) {
	line := func(kind string, v any) {
		text := strings.TrimPrefix(printable.JSONText(v), "{")
		if model != "" {
			text = "\"executor_model\":" + printable.JSONText(model) + "," + text
		}
		if err == nil {
			_, err = fmt.Fprintf(printable.EscapeJSON(w), "{\"type\":%q,%s\n", kind, text)
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
	addSuites(&out, "", b)
	return finishSuites(w, out.String())
}

// finishSuites writes the document around test suites.
func finishSuites(w io.Writer, suites string) error {
	const begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"skills eval\">\n"
	_, err := io.WriteString(w, begin+suites+"</testsuites>\n")
	return err
}

// addSuites adds the test suites of a benchmark, whose names begin with prefix.
func addSuites(out *strings.Builder, prefix string, b *store.Benchmark) {
	for _, c := range b.Cases {
		var tests strings.Builder
		total, failures, name := 0, 0, attribute(prefix+title(c))
		for _, t := range c.Checks {
			if t.With.Total == 0 {
				continue
			}
			total++
			fmt.Fprintf(&tests, "    <testcase classname=\"%s\" name=\"%s\">", name, attribute(t.Text))
			if t.With.Passed < t.With.Total {
				failures++
				evidence := checks.XMLText(printable.Text(t.Evidence))
				fmt.Fprintf(&tests, "<failure message=\"passed in %s\">%s</failure>", count(t.With), evidence)
			}
			tests.WriteString("</testcase>\n")
		}
		if c.With.Errored > 0 {
			total++
			fmt.Fprintf(&tests, "    <testcase classname=\"%s\" name=\"runs\"><error message=\"%s ended with an error\"/></testcase>\n",
				name, printable.Plural(c.With.Errored, "run"))
		}
		fmt.Fprintf(out, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n%s  </testsuite>\n",
			name, total, failures, min(c.With.Errored, 1), &tests)
	}
	junitUsage(out, prefix, b.Usage)
}

// junitUsage writes a suite without tests whose properties are what the runs and their judge
// used; unknown numbers are omitted.
func junitUsage(out *strings.Builder, prefix string, list []store.Usage) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "  <testsuite name=\"%susage\" tests=\"0\" failures=\"0\" errors=\"0\">\n    <properties>\n", attribute(prefix))
	for _, u := range list {
		property := func(name, value string) {
			fmt.Fprintf(out, "      <property name=\"%s.%s\" value=\"%s\"/>\n", u.Configuration, name, value)
		}
		property("runs", fmt.Sprint(u.Runs))
		property("failed_runs", fmt.Sprint(u.Failed))
		for _, n := range []struct {
			name  string
			value *int64
		}{{"tokens", u.Tokens}, {"judge_tokens", u.JudgeTokens}} {
			if n.value != nil {
				property(n.name, fmt.Sprint(*n.value))
			}
		}
		for _, n := range []struct {
			name  string
			value *float64
		}{{"cost", u.Cost}, {"judge_cost", u.JudgeCost}} {
			if n.value != nil {
				property(n.name, strconv.FormatFloat(*n.value, 'f', 6, 64))
			}
		}
	}
	out.WriteString("    </properties>\n  </testsuite>\n")
}

func attribute(s string) string { return checks.XMLText(printable.Line(s)) }
