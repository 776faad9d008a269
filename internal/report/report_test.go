package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/testing/filetest"
)

// writeReport writes a whole report.
func writeReport(name string, w io.Writer, skills []Skill, opt Options) error {
	out := FindFormat(name).Open(w, opt)
	var c Counts
	for _, s := range skills {
		c.Add(s, opt)
		if err := out.Skill(s); err != nil {
			return err
		}
	}
	return out.Close(nil, c)
}

// TestSkillsAreWrittenAsTheyCome checks the formats that do not begin with the
// counts. Nothing is written to a file before Close.
func TestSkillsAreWrittenAsTheyCome(t *testing.T) {
	for _, f := range Formats() {
		var early, late, file bytes.Buffer
		out, kept := f.Open(&early, Options{}), f.Open(nil, Options{})
		var c Counts
		for _, s := range sample() {
			c.Add(s, Options{})
			if err := errors.Join(out.Skill(s), kept.Skill(s)); err != nil {
				t.Fatal(err)
			}
		}
		if comes := strings.Contains(early.String(), "must be lowercase"); comes == f.totals {
			t.Errorf("%s: findings come before the end: %v", f.Name, comes)
		}
		if err := errors.Join(out.Close(nil, c), writeReport(f.Name, &late, sample(), Options{}), kept.Close(&file, c)); err != nil {
			t.Fatal(err)
		}
		if early.String() != late.String() || file.String() != late.String() {
			t.Errorf("%s: kept for a file, the report is\n%s\nnot\n%s", f.Name, file.String(), late.String())
		}
	}
}

// TestLinks checks that the line with the page of a rule is a hyperlink in a terminal that
// supports it, if the page has an address, and is printed once for each rule.
func TestLinks(t *testing.T) {
	address := func(rule string) string { return "https://example.com/" + rule }
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Page: address, Links: true}, "more: \x1b]8;;https://example.com/name-lowercase\x1b\\skills rules name-lowercase\x1b]8;;\x1b\\\n"},
		{Options{Page: address}, "more: skills rules name-lowercase\n"},
		{Options{Links: true}, "more: skills rules name-lowercase\n"},
	} {
		var out bytes.Buffer
		twice := sample()[1]
		twice.Path = "b/bad2"
		if err := writeReport("text", &out, append(sample(), twice), tt.opt); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), tt.want); n != 1 {
			t.Errorf("%+v: %d lines %q\n%s", tt.opt, n, tt.want, out.String())
		}
		if n := strings.Count(out.String(), "help: write name: my-skill"); n != 1 {
			t.Errorf("the hint is printed %d times", n)
		}
	}
}

// sample has everything that a format has to cope with.
func sample() []Skill {
	lines := []string{"---", "name: My-Skill", "description:\t\x1b[31m技能 use: it", "---", strings.Repeat("x", 150) + "HERE" + strings.Repeat("y", 100)}
	at := func(line, from, to int) spec.Span {
		return spec.Span{Start: spec.Pos{Line: line, Column: from}, End: spec.Pos{Line: line, Column: to}}
	}
	skills := []Skill{
		{Path: "a/good", Name: "good", Lines: 4, Tokens: 12},
		{Path: "b/bad\x1b[0m", Name: "", Lines: 5, Tokens: 70, Diagnostics: []spec.Diagnostic{
			{Rule: "skill-file", Level: spec.Error, Path: "b/bad\x1b[0m", Message: "Missing required file: SKILL.md", Fix: &spec.Fix{Description: "rename it", Rename: "SKILL.md"}},
			{Rule: "name-lowercase", Level: spec.Error, Path: "b/bad\x1b[0m/SKILL.md", Span: at(2, 7, 8), Message: "Skill name 'My-Skill' must be lowercase", Help: "write name: my-skill",
				Fix: &spec.Fix{Description: "write name: my-skill", Edits: []spec.Edit{
					{Start: 10, End: 18, Text: "my-skill", Path: "b/bad\x1b[0m/SKILL.md", Span: at(2, 7, 15)},
					{Start: 3, End: 4, Path: "b/bad\x1b[0m/SKILL.md", Span: at(2, 0, 1)}}}},
			{Rule: "frontmatter-syntax", Level: spec.Warning, Path: "b/bad\x1b[0m/SKILL.md", Span: at(3, 25, 26), Message: "evil \x1b[2J <&> \u202e", Help: "quote\nit"},
			{Rule: "field-client", Level: spec.Info, Path: "b/bad\x1b[0m/SKILL.md", Span: at(5, 151, 155), Message: "advice"},
		}},
		{Path: "c/warned", Name: "warned", Lines: 4, Diagnostics: []spec.Diagnostic{
			{Rule: "field-client", Level: spec.Warning, Path: "c/warned/SKILL.md", Span: at(1, 1, 4), Message: "a warning"},
			{Rule: "link-escape", Level: spec.Warning, Path: "c/warned/SKILL.md", Span: at(2, 1, 4), Message: "three links", Places: []spec.Place{
				{Path: "c/warned/SKILL.md", Span: at(2, 1, 4), Message: "one link"},
				{Path: "c/warned/SKILL.md", Span: at(3, 1, 4), Message: "another link"},
				{Path: "c/warned/x.md", Message: "a whole file"},
			}},
		}},
	}
	for i, d := range skills[1].Diagnostics {
		if n := d.Span.Start.Line; n > 0 {
			skills[1].Diagnostics[i].Snippet = lines[n-1]
		}
	}
	return skills
}

// TestFormats compares every format with its golden file, and some with further
// ones for their options.
func TestFormats(t *testing.T) {
	type test struct {
		name, format string
		opt          Options
		skills       []Skill
	}
	tests := []test{
		{"text-verbose", "text", Options{Verbose: true}, sample()},
		{"text-quiet", "text", Options{Quiet: true}, sample()},
		{"text-quiet-strict", "text", Options{Quiet: true, Strict: true}, sample()},
		{"text-colour", "text", Options{Colour: true}, sample()},
		{"text-one", "text", Options{}, sample()[:1]},
		{"text-one-strict", "text", Options{Strict: true}, sample()[2:]},
		{"text-none", "text", Options{}, nil},
		{"json-none", "json", Options{}, nil},
		{"github-verbose", "github", Options{Verbose: true}, sample()},
		{"github-quiet", "github", Options{Quiet: true}, sample()},
		{"github-none", "github", Options{}, nil},
		{"junit-strict", "junit", Options{Strict: true, Verbose: true}, sample()},
		{"junit-none", "junit", Options{}, nil},
		{"markdown-strict", "markdown", Options{Strict: true}, sample()[2:]},
		{"markdown-none", "markdown", Options{}, nil},
		{"gitlab-none", "gitlab", Options{}, nil},
		{"rdjson-none", "rdjson", Options{}, nil},
		{"concise-verbose", "concise", Options{Verbose: true, Width: 40}, sample()},
		{"statistics", Statistics, Options{}, sample()},
		{"statistics-json", StatisticsJSON, Options{}, sample()},
		{"statistics-json-none", StatisticsJSON, Options{}, nil},
	}
	for _, f := range Formats() {
		tests = append(tests, test{f.Name, f.Name, Options{}, sample()})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := writeReport(tt.format, &out, tt.skills, tt.opt); err != nil {
				t.Fatal(err)
			}
			if tt.format == "sarif" {
				out = withoutRules(t, out) // every new rule would change the golden file
			}
			filetest.Golden(t, tt.name, out.String())
			if !tt.opt.Colour && strings.Contains(out.String(), "\x1b") {
				t.Error("an escape sequence reaches the output")
			}
		})
	}
}

// withoutRules takes the descriptions of the rules out of a SARIF log.
func withoutRules(t *testing.T, in bytes.Buffer) (out bytes.Buffer) {
	var log sarifLog
	if err := json.Unmarshal(in.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	log.Runs[0].Tool.Driver.Rules = nil
	for i, r := range log.Runs[0].Results {
		if want := rules.All()[*r.RuleIndex].ID; r.RuleID != want {
			t.Errorf("result %d of rule %s points to %s", i, r.RuleID, want)
		}
		log.Runs[0].Results[i].RuleIndex = nil
	}
	if err := printable.WriteJSON(&out, log); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestJSONAgain decodes the JSON format strictly and compares it with what
// went in.
func TestJSONAgain(t *testing.T) {
	var out bytes.Buffer
	if err := writeReport("json", &out, sample(), Options{}); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	var got jsonReport
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Summary != (Counts{Skills: 3, Valid: 2, Errors: 2, Warnings: 3, Infos: 1}) {
		t.Errorf("summary: got %+v", got.Summary)
	}
	d := got.Skills[1].Diagnostics[2]
	if d.Message != "evil \x1b[2J <&> \u202e" || d.Line != 3 || d.Column != 25 || d.EndColumn != 26 || d.Level != "warning" {
		t.Errorf("diagnostic: got %+v", d)
	}
}

// failing is a writer that a pipe's reader has left.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	for _, f := range Formats() {
		if err := writeReport(f.Name, failing{}, sample(), Options{}); err == nil {
			t.Errorf("%s: an error of the writer is lost", f.Name)
		}
	}
}

// TestHiddenTextIsShown checks that the line of a finding about invisible characters
// shows them, with the caret below.
func TestHiddenTextIsShown(t *testing.T) {
	d := spec.Diagnostic{Rule: "hidden-text", Level: spec.Warning, Path: "a/SKILL.md", Message: "m", Snippet: "pass\u200bword",
		Span: spec.Span{Start: spec.Pos{Line: 3, Column: 5}, End: spec.Pos{Line: 3, Column: 6}}}
	var out bytes.Buffer
	if err := writeReport("text", &out, []Skill{{Path: "a", Diagnostics: []spec.Diagnostic{d}}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "  3 | pass<U+200B>word\n    |     ^^^^^^^^\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestTextWidth checks that at a terminal lines are broken between words and source
// lines are truncated; elsewhere the header of a finding is one line.
func TestTextWidth(t *testing.T) {
	line := "See [it](nope.md) " + strings.Repeat("技能", 60) + " end"
	skills := []Skill{{Path: "skills/a-skill-with-a-name", Diagnostics: []spec.Diagnostic{{
		Rule: "link-target", Level: spec.Error, Path: "skills/a-skill-with-a-name/SKILL.md", Message: strings.Repeat("words and more ", 12) + "end", Help: strings.Repeat("do this now ", 12) + "end",
		Span: spec.Span{Start: spec.Pos{Line: 8, Column: 10}, End: spec.Pos{Line: 8, Column: 17}}, Snippet: line, Fix: &spec.Fix{Description: "does"},
	}}}}
	text := func(width int) string {
		var b strings.Builder
		if err := writeReport("text", &b, skills, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := text(0)
	if first, _, _ := strings.Cut(whole, "\n"); !strings.HasSuffix(first, "end [link-target]") {
		t.Errorf("broken where there is no terminal: %s", first)
	}
	for _, width := range []int{50, 60, 80, 120} {
		got := text(width)
		for shown := range strings.Lines(got) {
			if n := lipgloss.Width(strings.TrimSuffix(shown, "\n")); n > width {
				t.Errorf("%d columns of %d: %s", n, width, shown)
			}
		}
		header := func(s string) []string { return strings.Fields(s[:strings.Index(s, "  8 |")]) }
		if !slices.Equal(header(got), header(whole)) || !strings.Contains(got, "\n    ") {
			t.Errorf("at %d columns:\n%s", width, got)
		}
	}
}
