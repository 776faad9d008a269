package fix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/testing/filetest"
)

// unescape makes characters that an archive cannot show.
func unescape(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\r`, "\r", `\uFEFF`, "\uFEFF").Replace(s)
}

func escape(s string) string {
	return strings.NewReplacer("\t", `\t`, "\r", `\r`, "\uFEFF", `\uFEFF`).Replace(s)
}

func parse(dir, src string) *spec.Document {
	return loader.ParseDocument(dir+"/SKILL.md", dir, []byte(src))
}

// text is the SKILL.md after the changes.
func (c Changes) text() string { return string(c.Document.Source) }

func TestFixes(t *testing.T) {
	const name = "testdata/fixes.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], &archive.Files[i+1]
		if want.Name != in.Name+".out" {
			t.Fatalf("%s is followed by %s, want %s.out", in.Name, want.Name, in.Name)
		}
		t.Run(in.Name, func(t *testing.T) {
			src := unescape(string(in.Data))
			c := Plan(parse("my-skill", src), spec.Options{})
			if filetest.Update() {
				want.Data = []byte(escape(c.text()))
			}
			if got := escape(c.text()); got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
			if changed := c.text() != src; changed == c.Empty() || changed != (len(c.Fixed) > 0) {
				t.Errorf("changed %v, but %d files and %d findings are reported", changed, len(c.Files), len(c.Fixed))
			}
			verify(t, src, "my-skill")
		})
	}
	if filetest.Update() {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNames shows which name is written for which folder.
func TestNames(t *testing.T) {
	for _, tt := range []struct{ dir, target, name, want string }{
		{"pdf-tools", "", "PDF Tools", "pdf-tools"},
		{"pdf-tools", "", "pdf__tools", "pdf-tools"},
		{"pdf-tools", "", "pdftools", "pdf-tools"},
		{"pdf-tools", "", "other", "other"}, // both are valid: only the user knows which is right
		{"review", "", "omc-review", "omc-review"},
		{"pdf-tools", "", "My_Tools", "My_Tools"}, // another word
		{"pdf-tools", "", "sw/pdf-tools", "sw/pdf-tools"},
		{"pdf-tools", "", "pdf.tools", "pdf.tools"},
		{"pdf-tools", "", `"{{ NAME }}"`, `"{{ NAME }}"`},
		{"pdf-tools", "", "${PDF_TOOLS}", "${PDF_TOOLS}"},
		{"pdf-tools", "", "<% pdf-tools %>", "<% pdf-tools %>"},
		{"PDF_Tools", "", "PDF_Tools", "PDF_Tools"}, // both have to be renamed
		{"PDF_Tools", "", "PDF Tools", "PDF Tools"},
		{"", "", "PDF Tools", "pdf-tools"}, // standard input
		{"link", "pdf-tools", "PDF Tools", "pdf-tools"},
		{"Link", "pdf-tools", "PDF Tools", "pdf-tools"},
		{"link", "pdf-tools", "link", "link"},
		{"123", "", "1_23", `"123"`},
		{"true", "", "'True'", "'true'"},
		{"пдф", "", "ПДФ", "пдф"},
		{"", "", strings.Repeat("A", 65), strings.Repeat("A", 65)},
	} {
		doc := parse(tt.dir, "---\nname: "+tt.name+"\ndescription: Does a thing.\n---\n")
		doc.LinkTarget = tt.target
		// Warnings are another matter.
		c := Plan(doc, spec.Options{Levels: map[string]spec.Level{"scalar-quoting": spec.Off}})
		if want := "---\nname: " + tt.want + "\ndescription: Does a thing.\n---\n"; c.text() != want {
			t.Errorf("folder %q (link to %q): got\n%swant\n%s", tt.dir, tt.target, c.text(), want)
		}
		for _, d := range rules.Check(c.Document, spec.Options{}) {
			if !c.Empty() && strings.HasPrefix(d.Rule, "name-") && d.Level == spec.Error {
				t.Errorf("folder %q (link to %q): after the fix: %s", tt.dir, tt.target, d)
			}
		}
	}
}

func TestRenameInMemory(t *testing.T) {
	doc := parse("my-skill", "---\nname: My-Skill\ndescription: Does a thing. Use when testing.\n---\n# Body\n\nText.\n")
	doc.Path, doc.File = "my-skill/skill.md", "skill.md"
	doc.Faults = append(doc.Faults, spec.Fault{Rule: "skill-file", Message: "skill.md must be named SKILL.md",
		Fix: &spec.Fix{Description: "rename", Rename: "SKILL.md"}})
	c := Plan(doc, spec.Options{})
	if len(c.Files) != 1 || c.Files[0].Name != "skill.md" || c.Files[0].NewName != "SKILL.md" || len(c.Fixed) != 2 {
		t.Errorf("got %+v, want one file renamed and two findings fixed", c)
	}
	if ds := rules.Check(c.Document, spec.Options{}); len(ds) > 0 {
		t.Errorf("findings are left: %v", ds)
	}
}

// TestHostile fixes frontmatters that are made to be expensive, or in which
// much can be fixed.
func TestHostile(t *testing.T) {
	var faults, fixable, quotes strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&faults, "key%d: a: b\n", i)
		fmt.Fprintf(&quotes, "  key%d: %d\n", i, i)
	}
	for i := range 150 {
		fmt.Fprintf(&fixable, "  key%d: a: b\n", i)
	}
	front := func(yaml string) string {
		return "---\nname: my-skill\ndescription: Does a thing.\n" + yaml + "---\n"
	}
	for name, tt := range map[string]struct {
		src   string
		fixed int // at least
	}{
		"faults that reveal errors": {front(faults.String()), 0},
		"many broken lines":         {front("metadata:\n" + fixable.String()), 150},
		"many values":               {front("metadata:\n" + quotes.String()), 100},
		"blank lines":               {strings.Repeat("\n", 200_000) + front(""), 0},
		"dashes":                    {strings.Repeat("---- \n", 50_000), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if c := Plan(parse("my-skill", tt.src), spec.Options{}); len(c.Fixed) < tt.fixed {
				t.Errorf("got %d findings fixed, want %d", len(c.Fixed), tt.fixed)
			}
		})
	}
}

// verify holds the changes of a text against what Plan promises.
func verify(t *testing.T, src, dir string) {
	t.Helper()
	opts := spec.Options{}
	doc := parse(dir, src)
	before := rules.Check(doc, opts)
	c := Plan(doc, opts)
	if string(doc.Source) != src {
		t.Fatal("planning changed the source")
	}
	for _, d := range Check(doc, opts) {
		if d.Fix != nil && c.Empty() {
			t.Fatalf("%s is marked as fixable, and nothing is fixed", d)
		}
	}
	for _, d := range before {
		if d.Fix != nil && (rules.Find(d.Rule).Fix == "" || d.Fix.Description == "") {
			t.Fatalf("%s has a fix that its rule or itself does not describe", d.Rule)
		}
	}
	after := parse(dir, c.text())
	if doc.Mapping && !after.Mapping {
		t.Fatalf("the skill does not parse any more:\n%s", c.text())
	}
	old := errorsOf(doc)
	for rule, n := range errorsOf(after) {
		if n > old[rule] {
			t.Fatalf("%d errors of %s, %d before:\n%s", n, rule, old[rule], c.text())
		}
	}
	meant := map[string]bool{}
	for _, d := range c.Fixed {
		meant[d.Fix.Field] = true
	}
	for i, f := range doc.Fields {
		if g := after.Fields[i]; g.Key != f.Key || !meant[f.Key] && !sameValue(f.Value, g.Value) {
			t.Fatalf("field %s has another value:\n%s", f.Key, c.text())
		}
	}
	if again := Plan(after, opts); !again.Empty() {
		t.Fatalf("fixing again changes it:\n%q\n%q", c.text(), again.text())
	}
	other := Plan(parse(dir, src), opts)
	if !reflect.DeepEqual(other.Files, c.Files) || !reflect.DeepEqual(other.Fixed, c.Fixed) {
		t.Fatal("second run differs")
	}
	var diff bytes.Buffer
	if err := Diff(&diff, c); err != nil || diff.Len() > 0 == c.Empty() {
		t.Fatalf("error %v, diff %q, changes %v", err, diff.String(), !c.Empty())
	}
	if got := patched(t, []byte(src), diff.String()); got != c.text() {
		t.Fatalf("the diff does not make the change:\n%s\ngot  %q\nwant %q", diff.String(), got, c.text())
	}
}

// errorsOf counts the errors of a document by rule. Those on a line whose YAML
// is broken count as if it were fixed, although they are not reported.
func errorsOf(doc *spec.Document) map[string]int {
	n := map[string]int{}
	for _, d := range rules.Check(doc, spec.Options{Behind: true}) {
		if d.Level == spec.Error {
			n[d.Rule]++
			for _, rule := range strings.Fields(d.Also) {
				n[rule]++
			}
		}
	}
	return n
}

// FuzzFix fixes anything. Afterwards the skill parses where it did before,
// every field that was readable has the same value, there is no new error (one that
// was not reported, nor on a line whose YAML was broken), a second time changes
// nothing, the diff makes the change, and no finding of Check has a fix where
// there is no change.
func FuzzFix(f *testing.F) {
	for _, name := range []string{"testdata/fixes.txtar", "../../spec/rules/testdata/findings.txtar"} {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(unescape(string(file.Data)), "my-skill")
		}
	}
	for _, name := range []string{"cases.jsonl", "clients.jsonl"} {
		data, err := os.ReadFile("../../../testdata/conformance/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var c struct {
				Content string `json:"content"`
			}
			if json.Unmarshal([]byte(line), &c) == nil {
				f.Add(c.Content, "my-skill")
			}
		}
	}
	for _, rule := range rules.All() {
		for _, part := range strings.Split(rules.Page(rule.ID), "```markdown\n")[1:] {
			block, _, _ := strings.Cut(part, "```\n")
			f.Add(block, "My_Skill")
		}
	}
	f.Fuzz(func(t *testing.T, src, dir string) {
		if len(src) > 1<<16 || strings.ContainsAny(dir, "/\\\x00\n") {
			return
		}
		verify(t, src, dir)
	})
}
