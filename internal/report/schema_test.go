package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// schemas are compiled once: the one of SARIF is large.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	sarif, err := os.ReadFile("testdata/sarif/sarif-schema-2.1.0.json")
	if err != nil {
		return nil, err
	}
	out := map[string]*jsonschema.Schema{}
	for name, text := range map[string]string{"json": Schema(), "sarif": string(sarif)} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(name+".schema.json", doc); err != nil {
			return nil, err
		}
		out[name], err = c.Compile(name + ".schema.json")
		if err != nil {
			return nil, err
		}
	}
	return out, nil
})

// validate holds JSON text against the schema of a format.
func validate(t *testing.T, format string, text []byte) {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%s is no JSON: %v\n%s", format, err, text)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("%s: something follows the JSON", format)
	}
	if err := all[format].Validate(doc); err != nil {
		t.Fatalf("%s is not valid: %v", format, err)
	}
}

func TestSchemas(t *testing.T) {
	goldens, err := filepath.Glob("testdata/json*.golden")
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range goldens {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, "json", text)
	}
	for _, skills := range [][]Skill{nil, sample(), sample()[:1]} {
		var out bytes.Buffer
		if err := writeReport("sarif", &out, skills, Options{}); err != nil {
			t.Fatal(err)
		}
		validate(t, "sarif", out.Bytes())
	}
	all, _ := schemas()
	for format, text := range map[string]string{
		"json":  `{"schema_version": 1, "summary": {}, "skills": []}`,
		"sarif": `{"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}`,
	} {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if all[format].Validate(doc) == nil {
			t.Errorf("the schema of %s accepts anything", format)
		}
	}
}

// TestSARIFRules describes every rule with its page.
func TestSARIFRules(t *testing.T) {
	list, index := sarifRules()
	if len(list) != len(rules.All()) {
		t.Fatalf("got %d rules, want %d", len(list), len(rules.All()))
	}
	for _, r := range rules.All() {
		got := list[index[r.ID]]
		if got.ID != r.ID || got.ShortDescription.Text != r.Title || !strings.HasPrefix(got.Help.Markdown, strings.TrimSpace(rules.Page(r.ID))) || !strings.Contains(got.Help.Text, r.Source) {
			t.Errorf("%s is described as %+v", r.ID, got)
		}
	}
}

// TestFingerprints are the same for a finding whose line has moved, and
// different for each of several that look alike.
func TestFingerprints(t *testing.T) {
	at := func(line int) spec.Diagnostic {
		return spec.Diagnostic{Rule: "link-target", Path: "a/SKILL.md", Span: spec.Span{Start: spec.Pos{Line: line, Column: 1}}}
	}
	prints := func(list ...string) (out []string) {
		f := fingerprints{}
		for i, line := range list {
			out = append(out, f.of(at(i+1), "a/SKILL.md", line))
		}
		return out
	}
	before, after := prints("a [b](c)", "a [b](c)", "other"), prints("new", "a [b](c)", "  a [b](c)", "other")
	if before[0] != after[1] || before[1] != after[2] || before[2] != after[3] {
		t.Errorf("moved findings are new ones: %v, %v", before, after)
	}
	seen := map[string]bool{}
	for _, p := range after {
		if seen[p] {
			t.Errorf("two findings share %s", p)
		}
		seen[p] = true
	}
}

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"a/SKILL.md": "a/SKILL.md", "../a b/ä.md": "../a%20b/%C3%A4.md", "a:b": "a%3Ab", "50%/#?.md": "50%25/%23%3F.md",
		"<stdin>": "%3Cstdin%3E", "a\xff\n": "a%FF%0A", "": "",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
	abs, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	if got := fileURI(abs); !strings.HasPrefix(got, "file:///") || !strings.HasSuffix(got, "/x") {
		t.Errorf("an absolute path: got %s", got)
	}
}

// TestRooted names files from the root of the repository in the formats that
// services read, and as the user did in the others.
func TestRooted(t *testing.T) {
	skills := []Skill{{Path: "skills/a", Diagnostics: []spec.Diagnostic{
		{Rule: "link-target", Level: spec.Error, Path: "skills/a/SKILL.md", Message: "m"},
		{Rule: "link-target", Level: spec.Error, Path: "/elsewhere/SKILL.md", Message: "m"},
	}}}
	opt := Options{Rooted: func(path string) string {
		if filepath.IsAbs(path) || strings.HasPrefix(path, "/") {
			return path
		}
		return "tools/" + path
	}}
	for _, f := range Formats() {
		var out, plain bytes.Buffer
		if err := errors.Join(writeReport(f.Name, &out, skills, opt), writeReport(f.Name, &plain, skills, Options{})); err != nil {
			t.Fatal(err)
		}
		rooted := slices.Contains([]string{"sarif", "github", "gitlab", "rdjson"}, f.Name)
		if got := strings.Contains(out.String(), "tools/skills/a/SKILL.md"); got != rooted || rooted == (out.String() == plain.String()) {
			t.Errorf("%s: from the root: %t, want %t\n%s", f.Name, got, rooted, out.String())
		}
		if f.Name == "sarif" {
			validate(t, f.Name, out.Bytes())
			if n := strings.Count(out.String(), `"uriBaseId": "%SRCROOT%"`); filepath.IsAbs("/elsewhere") && n != 1 {
				t.Errorf("%d files start at the root, want 1\n%s", n, out.String())
			}
		}
	}
}
