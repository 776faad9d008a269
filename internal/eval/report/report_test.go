package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/eval/store"
	"skills/internal/printable"
)

// hostile is text of a model that is markup in every format.
const hostile = "</td><script>alert(1)</script> | <!-- `x` [a](javascript:x) ]]> \x1b[31m\u202e"

func benchmark(cases int) *store.Benchmark {
	var runs []store.Run
	for i := range cases {
		for number := 1; number <= 2; number++ {
			for _, configuration := range []string{store.WithSkill, store.WithoutSkill} {
				passed := configuration == store.WithSkill && (i > 0 || number == 1)
				o := store.Outcome{Text: "assertion " + hostile, Passed: passed, Evidence: "evidence " + hostile, Weight: 1}
				if passed {
					o.Score = 1
				}
				runs = append(runs, store.Run{Case: fmt.Sprint(i + 1), Name: "case " + hostile, Slug: `eval-"1"`, Configuration: configuration, Number: number,
					Outcomes: []store.Outcome{o, {Text: "always", Passed: true, Weight: 1, Score: 1}}})
			}
		}
	}
	runs = append(runs, store.Run{Case: "1", Slug: "eval-1", Configuration: store.WithSkill, Number: 3, Timing: store.Timing{Error: "error " + hostile}})
	return store.Aggregate(runs, store.Meta{Skill: "skill " + hostile, Notes: []string{"note " + hostile}, Stopped: "limit of 20 calls", NotRun: 4})
}

func write(t *testing.T, format string, b *store.Benchmark) string {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, format, Target{}, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestMarkdown checks that hostile text is escaped and stays in its cell.
func TestMarkdown(t *testing.T) {
	text := write(t, "markdown", benchmark(1))
	for _, never := range []string{"<script", "<!--", "\x1b", "[a](", "`x`"} {
		if strings.Contains(text, never) {
			t.Errorf("%q in:\n%s", never, text)
		}
	}
	for _, want := range []string{"inconclusive", "A verdict takes at least 6 cases", "### Assertions to look at (they fail with the skill, are flaky, or tell nothing)", "### Errors"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| 1 | assertion") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 7 {
			t.Errorf("a row with other columns: %s", line)
		}
	}
}

// TestMachineFormats checks that JUnit, JSON and JSON Lines are valid with hostile text.
func TestMachineFormats(t *testing.T) {
	b := benchmark(2)
	var suites struct {
		Suites []struct {
			Tests      int `xml:"tests,attr"`
			Failures   int `xml:"failures,attr"`
			Errors     int `xml:"errors,attr"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
			Cases []struct {
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(write(t, "junit", b)), &suites); err != nil {
		t.Fatal(err)
	}
	if s := suites.Suites[0]; s.Tests != 3 || s.Failures != 1 || s.Errors != 1 || s.Cases[0].Failure == nil || s.Cases[0].Failure.Message != "passed in 1 of 2" {
		t.Errorf("the first suite is %+v", s)
	}
	if p := suites.Suites[2].Properties; len(p) != 12 || p[0].Name != "with_skill.runs" || p[0].Value != "5" || p[1].Value != "1" {
		t.Errorf("the usage is %+v", p)
	}
	var kinds []string
	for line := range strings.Lines(write(t, "jsonl", b)) {
		var e struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Type)
	}
	if got := strings.Join(kinds, " "); got != strings.Repeat("run ", 8)+"error benchmark" {
		t.Errorf("lines: %s", got)
	}
	if text := write(t, "json", b); !json.Valid([]byte(text)) || strings.Contains(text, "\u202e") {
		t.Error("JSON is not valid, or has invisible characters")
	}
}

// TestText checks the text of a benchmark without a baseline: nothing is compared.
func TestText(t *testing.T) {
	run := store.Run{Case: "1", Configuration: store.WithSkill, Number: 1, Outcomes: []store.Outcome{{Text: "a", Passed: true, Weight: 1, Score: 1}}}
	text := write(t, "text", store.Aggregate([]store.Run{run}, store.Meta{Skill: "sums"}))
	want := `sums: not compared
no runs without the skill or with an older one
- Every run with the skill passed in 1 of 1 case (95 % interval 21 to 100 %); mean score 1.00.
- with_skill: 100 % passed a run

Cases
  case  with  baseline  difference  runs that pass
  1     1.00  –         –           1 of 1 / –
`
	if text != want {
		t.Errorf("%s\nwant:\n%s", text, want)
	}
}

// TestNothingGraded checks that a report without a graded run states that, instead of a rate.
func TestNothingGraded(t *testing.T) {
	failed := store.Run{Case: "1", Configuration: store.WithSkill, Number: 1, Timing: store.Timing{Error: "no"}}
	text := write(t, "text", store.Aggregate([]store.Run{failed}, store.Meta{Skill: "s"}))
	if !strings.Contains(text, "- No case was graded with the skill.\n") || strings.Contains(text, "0 of 0") {
		t.Error(text)
	}
}

// TestAllTie checks that a report of cases that are all equal says why it has no verdict.
func TestAllTie(t *testing.T) {
	var runs []store.Run
	for i := range 6 {
		for _, arm := range []string{store.WithSkill, store.WithoutSkill} {
			runs = append(runs, store.Run{Case: fmt.Sprint(i), Configuration: arm, Number: 1, Outcomes: []store.Outcome{{Text: "a", Passed: true, Weight: 1, Score: 1}}})
		}
	}
	for _, format := range []string{"text", "markdown", "html"} {
		text := write(t, format, store.Aggregate(runs, store.Meta{Skill: "s"}))
		if !strings.Contains(text, "All 6 cases are equal in both arms, which is no proof") || strings.Contains(text, "A verdict takes at least") {
			t.Errorf("%s: %s", format, text)
		}
	}
	b := store.Aggregate(runs, store.Meta{Skill: "s"})
	var page strings.Builder
	err := WriteModels(&page, "text", Target{}, store.Tabulate("s", []store.Model{{Model: "a", Benchmark: b}, {Model: "b", Benchmark: b}}))
	if text := page.String(); err != nil || strings.Contains(text, "A verdict takes at least") || !strings.Contains(text, "To find a difference") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestWidth checks that text has no line over the width, and no broken word.
func TestWidth(t *testing.T) {
	b := benchmark(4)
	b.Meta.Skill = "colors"
	wide := write(t, "text", b)
	for _, width := range []int{100, 80, 60, 44} {
		var narrow strings.Builder
		if err := Write(&narrow, "text", Target{Width: width}, b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(narrow.String()) {
			if printable.Columns(strings.TrimSuffix(line, "\n")) > width {
				t.Errorf("%d columns: %q is too long", width, line)
			}
		}
		words := strings.Fields(strings.ReplaceAll(narrow.String(), ": ", " "))
		for _, word := range strings.Fields(strings.ReplaceAll(wide, ": ", " ")) {
			if !slices.Contains(words, word) {
				t.Errorf("%d columns: no word %q in\n%s", width, word, &narrow)
			}
		}
	}
}

// TestTables checks that a table wider than the terminal is folded, or becomes lists.
func TestTables(t *testing.T) {
	errors := Table{Title: "Errors", Header: []string{"case", "arm", "run", "error"}}
	errors.Add("1", "without_skill", "1", "the judge failed: its answer cannot be used: write exactly one JSON object")
	for width, want := range map[int]string{
		0:   "  case  arm            run  error\n  1     without_skill  1    the judge failed: its answer cannot be used: write exactly one JSON object\n",
		120: "  case  arm            run  error\n  1     without_skill  1    the judge failed: its answer cannot be used: write exactly one JSON object\n",
		80:  "  case  arm            run  error\n  1     without_skill  1    the judge failed: its answer cannot be used: write\n                            exactly one JSON object\n",
		30:  "  - case: 1\n    arm: without_skill\n    run: 1\n    error: the judge failed:\n      its answer cannot be\n      used: write exactly one\n      JSON object\n",
	} {
		var out strings.Builder
		if err := (Document{Tables: []Table{errors}}).Write(&out, "text", width); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(out.String(), "\nErrors\n"); got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", width, got, want)
		}
	}
}
