package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"skills/internal/spec"
	"skills/internal/testing/filetest"
)

// TestFindings compares what is reported of the documents in
// testdata/findings*.txtar: each SKILL.md is followed by the findings with
// their places, culprits and help. findings.txtar and findings_causes.txtar show the errors,
// findings_<group>.txtar the rules of that group, any other name all rules.
func TestFindings(t *testing.T) {
	names, err := filepath.Glob("testdata/findings*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { compareFindings(t, name) })
	}
}

func compareFindings(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files)%2 != 0 {
		t.Fatalf("%s has a file without its .out", name)
	}
	group := groupOf(name)
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], &archive.Files[i+1]
		if want.Name != in.Name+".out" {
			t.Fatalf("%s is followed by %s, want %s.out", in.Name, want.Name, in.Name)
		}
		t.Run(in.Name, func(t *testing.T) {
			doc := parse(unescape(string(in.Data)))
			found := slices.DeleteFunc(Check(doc, spec.Options{}), func(d spec.Diagnostic) bool {
				return !slices.ContainsFunc(group, func(r *spec.Rule) bool { return r.ID == d.Rule })
			})
			got := render(doc, found)
			if filetest.Update() {
				want.Data = []byte(got)
			} else if got != string(want.Data) {
				t.Errorf("got\n%swant\n%s", got, want.Data)
			}
		})
	}
	if filetest.Update() {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// groupOf returns the rules whose findings a golden file shows.
func groupOf(name string) []*spec.Rule {
	if filepath.Base(name) == "findings_frontmatter.txtar" {
		return []*spec.Rule{fieldUnknown, fieldClient, metadataValues, scalarQuoting, yamlPortability, namePortability, descriptionPortability, allowedToolsFormat, descriptionWhen, catalogueCost}
	}
	return slices.DeleteFunc(All(), func(r *spec.Rule) bool { return r.Level != spec.Error })
}

// unescape makes characters that an archive cannot show.
func unescape(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\r`, "\r", `\u00A0`, "\u00A0", `\u0007`, "\a", `\u200B`, "\u200B", `\uFEFF`, "\uFEFF", `\u0085`, "\u0085", `\u2028`, "\u2028", `\u007f`, "\x7f").Replace(s)
}

// render shows findings one a line, with the text that each one points at.
func render(doc *spec.Document, ds []spec.Diagnostic) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintln(&b, d)
		if d.Also != "" {
			fmt.Fprintf(&b, "  also: %s\n", d.Also)
		}
		if d.Span.Start.Line > 0 {
			fmt.Fprintf(&b, "  at %q\n", pointed(doc, d.Span))
		}
		if d.Help != "" {
			fmt.Fprintf(&b, "  help: %s\n", d.Help)
		}
	}
	return b.String()
}

// pointed is the text of a span, up to the end of its first line.
func pointed(doc *spec.Document, s spec.Span) string {
	line := []rune(doc.Line(s.Start.Line))
	to := len(line)
	if s.End.Line == s.Start.Line {
		to = s.End.Column - 1
	}
	return string(line[s.Start.Column-1 : to])
}

func TestOptions(t *testing.T) {
	doc := parse("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nmodel: sonnet\nargument-hint: x\nversion: 1\n---\n# Body\n\nText.\n")
	rules := func(o spec.Options) string {
		var out []string
		for _, d := range Check(doc, o) {
			out = append(out, d.Rule+" "+d.Level.String())
		}
		return strings.Join(out, ", ")
	}
	for _, tt := range []struct {
		name string
		opts spec.Options
		want string
	}{
		{"default", spec.Options{}, "field-client warning, field-client warning, field-unknown error"},
		{"client", spec.Options{Clients: []string{"copilot"}}, "field-client warning, field-unknown error"},
		{"client that reads both", spec.Options{Clients: []string{"claude-code"}}, "field-unknown error"},
		{"level", spec.Options{Levels: map[string]spec.Level{"field-unknown": spec.Info, "field-client": spec.Off}}, "field-unknown info"},
		{"reference", spec.Options{Profile: spec.ProfileReference}, "field-unknown error"},
	} {
		if got := rules(tt.opts); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestLowestLevel verifies that only unwanted findings are omitted, also with a comment,
// whose own findings are the same at every level.
func TestLowestLevel(t *testing.T) {
	const faulty = "---\nname: my-skill\nversion: 1\ndescription: Does a thing.\nmodel: sonnet\n---\n"
	for _, tt := range []struct {
		name, body string
		least      spec.Level
		want       string
	}{
		{"all", "", spec.Off, "description-when info, field-client warning, field-unknown error"},
		{"info", "", spec.Info, "description-when info, field-client warning, field-unknown error"},
		{"warnings", "", spec.Warning, "field-client warning, field-unknown error"},
		{"errors", "", spec.Error, "field-unknown error"},
		{"with a comment", "<!-- skills: ignore field-client -->\n", spec.Error, "field-unknown error"},
		{"with a comment that silences nothing", "<!-- skills: ignore orphan-file -->\n", spec.Error, "field-unknown error"},
		{"with a comment that silences nothing, warnings", "<!-- skills: ignore orphan-file -->\n", spec.Warning,
			"field-client warning, field-unknown error, ignore-comment warning"},
	} {
		doc := parse(faulty + "# Body\n\nText.\n" + tt.body)
		doc.Files = noFiles{}
		var got []string
		for _, d := range Check(doc, spec.Options{Least: tt.least}) {
			got = append(got, d.Rule+" "+d.Level.String())
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	raised := spec.Options{Least: spec.Error, Levels: map[string]spec.Level{"description-when": spec.Error}}
	if got := Check(parse(faulty), raised); !slices.ContainsFunc(got, func(d spec.Diagnostic) bool { return d.Rule == "description-when" }) {
		t.Errorf("a rule that was raised did not run: got %v", got)
	}
}

// TestRepairedLine: findings in other files are kept on the line number of a
// line which is broken in the SKILL.md.
func TestRepairedLine(t *testing.T) {
	doc := parse("---\nname: my-skill\ndescription: Does: a thing. Use when asked.\n---\nSee [a](references/a.md).\n")
	doc.Files = inMemory(map[string]string{"SKILL.md": "", "references/a.md": "# A\n\n[b](gone.md)\n"})
	got := Check(doc, spec.Options{Least: spec.Warning})
	if !slices.ContainsFunc(got, func(d spec.Diagnostic) bool { return d.Rule == "link-target" && d.Span.Start.Line == 3 }) {
		t.Errorf("got %v, want the finding on line 3 of a.md, the number of a broken line of SKILL.md", got)
	}
}

func TestLevels(t *testing.T) {
	for _, l := range []spec.Level{spec.Off, spec.Info, spec.Warning, spec.Error} {
		if got, ok := spec.ParseLevel(l.String()); got != l || !ok {
			t.Errorf("ParseLevel(%q) = %v, %v", l, got, ok)
		}
	}
	if _, ok := spec.ParseLevel("fatal"); ok {
		t.Error("an unknown level was accepted")
	}
}
