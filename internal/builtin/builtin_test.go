package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/tokens"
)

// opened returns the contents of a built-in skill that works below dir.
func opened(t *testing.T, dir, name string) (*loader.Skill, loader.Contents) {
	t.Helper()
	all, err := Skills(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			c, err := s.Contents(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return s, c
		}
	}
	t.Fatalf("no skill %s", name)
	return nil, loader.Contents{}
}

// run calls a script and returns what a model reads.
func run(t *testing.T, c loader.Contents, name, arguments string) string {
	t.Helper()
	for _, s := range c.Scripts {
		if s.Name == name {
			text, err := s.Call(t.Context(), json.RawMessage(arguments))
			if err != nil {
				return "error: " + err.Error()
			}
			return text
		}
	}
	t.Fatalf("no script %s", name)
	return ""
}

func read(t *testing.T, c loader.Contents, name string) string {
	t.Helper()
	for _, r := range c.Resources {
		if r.Name == name {
			data, _, err := r.Read(context.Background(), 0, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
	}
	t.Fatalf("no resource %s", name)
	return ""
}

// TestSkills checks that the built-in skills break no rule.
func TestSkills(t *testing.T) {
	all, err := Skills(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		if s.Origin != Origin || !s.Hidden || s.NotUser || i > 0 && all[i-1].Name >= s.Name {
			t.Errorf("%s: origin %q, hidden %t", s.Name, s.Origin, s.Hidden)
		}
		c, err := s.Contents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text := loader.Frontmatter{Name: s.Name, Description: s.Description}.Text() + c.Instructions
		for _, d := range rules.Check(loader.ParseDocument("SKILL.md", s.Name, []byte(text)), spec.Options{Least: spec.Warning}) {
			if d.Level >= spec.Warning {
				t.Errorf("%s: %s: %s", s.Name, d.Place(), d.Message)
			}
		}
		if cost := tokens.Estimate(s.Name + s.Description); cost > 60 {
			t.Errorf("%s costs %d tokens in a catalogue", s.Name, cost)
		}
		for _, x := range append([]string{}, names(c)...) {
			if !strings.Contains(c.Instructions, "`"+x+"`") {
				t.Errorf("%s: the instructions do not name %s", s.Name, x)
			}
		}
	}
}

func names(c loader.Contents) (names []string) {
	for _, r := range c.Resources {
		names = append(names, r.Name)
	}
	for _, s := range c.Scripts {
		names = append(names, s.Name)
	}
	return names
}

func TestUnitConverter(t *testing.T) {
	_, c := opened(t, t.TempDir(), "unit-converter")
	if got, want := run(t, c, "convert", `{"value":1,"factor":"2.20462"}`), `{"value":1,"factor":2.20462,"result":2.20462}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := run(t, c, "convert", `{"value":1}`); got != `error: parameter "factor" is missing; its parameters are value, factor` {
		t.Errorf("got %s", got)
	}
	file, err := os.ReadFile("../../testdata/skills/unit-converter/references/conversion-table.md")
	if err != nil {
		t.Fatal(err)
	}
	if read(t, c, "conversion-table") != string(file) {
		t.Error("the table is not that of the test skill")
	}
}

func TestAuthorResources(t *testing.T) {
	_, c := opened(t, t.TempDir(), "skill-author")
	text := read(t, c, "rules")
	for _, r := range rules.All() {
		if !strings.Contains(text, "| "+r.ID+" | ") {
			t.Errorf("the list of rules lacks %s", r.ID)
		}
	}
	fields := read(t, c, "fields")
	for _, f := range rules.SpecFields() {
		if !strings.Contains(fields, "| `"+f+"` | ") {
			t.Errorf("the list of fields lacks %s", f)
		}
	}
}

func TestNewAndValidate(t *testing.T) {
	dir := t.TempDir()
	_, c := opened(t, dir, "skill-author")
	got := run(t, c, "new", `{"name":"pdf-forms","description":"Fills PDF forms: \"all\" of them. Use when a task names a form.","references":true,"script":true}`)
	if want := "Wrote skills/pdf-forms/SKILL.md, skills/pdf-forms/references/details.md, skills/pdf-forms/scripts/main.py.\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, path := range []string{"skills/pdf-forms", "./skills/pdf-forms/SKILL.md", "skills/pdf-forms/", filepath.Join(dir, "skills", "pdf-forms")} {
		arguments, err := json.Marshal(map[string]any{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, c, "validate", string(arguments)); got != "The skill is valid: nothing to fix.\n" {
			t.Errorf("%s: the skeleton is not valid: %s", path, got)
		}
	}
	file := filepath.Join(dir, "skills", "pdf-forms", "SKILL.md")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, c, "new", `{"name":"pdf-forms","description":"other"}`); got != "error: skills/pdf-forms exists; nothing was changed; choose another name, or edit it" {
		t.Errorf("a second time: %s", got)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
	if got := run(t, c, "new", `{"name":"plain","description":"Does it. Use when testing.","folder":"."}`); !strings.HasPrefix(got, "Wrote plain/SKILL.md.") {
		t.Errorf("here: %s", got)
	}
	if err := os.WriteFile(file, []byte("---\nname: PDF\ndescription: d\nauthor: me\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got = run(t, c, "validate", `{"path":"skills/pdf-forms"}`)
	for _, want := range []string{filepath.FromSlash("skills/pdf-forms/SKILL.md") + ":2:7: error: ", "must be lowercase", "[name-lowercase]", "  help: ", "The skill is not valid. Errors: "} {
		if !strings.Contains(got, want) {
			t.Errorf("a broken skill: %q lacks %q", got, want)
		}
	}
	if strings.Contains(got, dir) {
		t.Errorf("the working folder is in %q", got)
	}
}

// TestNewWithFiles checks that skill-author can write a skill with all its files in one
// call.
func TestNewWithFiles(t *testing.T) {
	dir := t.TempDir()
	_, c := opened(t, dir, "skill-author")
	const call = `{"name":"tables","description":"Extracts tables. Use when a task names a table.","instructions":"# Tables\n\nRead [references/api.md](references/api.md), then run ` + "`scripts/run.sh`" + `.","files":{"scripts/run.sh":"#!/bin/sh\necho 1\n","references/api.md":"# API\n\nText.\n"}}`
	if got, want := run(t, c, "new", call), "Wrote skills/tables/SKILL.md, skills/tables/references/api.md, skills/tables/scripts/run.sh.\nNow run validate."; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if got := run(t, c, "validate", `{"path":"skills/tables"}`); got != "The skill is valid: nothing to fix.\n" {
		t.Errorf("it is not valid: %s", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "skills", "tables", "SKILL.md"))
	if err != nil || !strings.HasPrefix(string(text), "---\nname: tables\ndescription: Extracts tables. Use when a task names a table.\n---\n\n# Tables\n") {
		t.Errorf("got %q, %v", text, err)
	}
	for files, want := range map[string]string{
		`{"../x":""}`: "is not a path in the skill's folder", `{"/etc/x":""}`: "is not a path", `{"a\\b":""}`: "is not a path", `{".":""}`: "file exists",
		`{"SKILL.md":""}`: "file exists",
	} {
		if got := run(t, c, "new", `{"name":"other","description":"Does it.","files":`+files+`}`); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
			t.Errorf("%.40s: got %s, want %q", files, got, want)
		}
	}
	// A file in the place of a folder shows while writing: nothing is left.
	if got := run(t, c, "new", `{"name":"other","description":"Does it.","files":{"a":"","a/b":""}}`); !strings.HasPrefix(got, "error: writing skills/other/a/b: ") {
		t.Errorf("a file in a file: %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "skills", "other")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// TestAuthorStaysBelow checks that skill-author neither reads, writes nor reports
// anything outside the working folder.
func TestAuthorStaysBelow(t *testing.T) {
	top := t.TempDir()
	dir, out := filepath.Join(top, "work"), filepath.Join(top, "out")
	for _, d := range []string{dir, filepath.Join(out, "secret")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "secret", "SKILL.md"), []byte("---\nname: s3cret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	_, c := opened(t, dir, "skill-author")
	for _, path := range []string{"../out/secret", filepath.Join(out, "secret"), "link/secret", "a/../../out/secret", "/etc", "~/x", ""} {
		arguments, err := json.Marshal(map[string]any{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, c, "validate", string(arguments)); !strings.HasPrefix(got, "error: ") || strings.Contains(got, "s3cret") {
			t.Errorf("validate %s: %s", path, got)
		}
		arguments, err = json.Marshal(map[string]any{"name": "new-skill", "description": "Does it.", "folder": path})
		if err != nil {
			t.Fatal(err)
		}
		if path == "" || path == "~/x" {
			continue // the default, and a folder of that name
		}
		if got := run(t, c, "new", string(arguments)); !strings.HasPrefix(got, "error: ") {
			t.Errorf("new in %s: %s", path, got)
		}
	}
	for _, name := range []string{"../x", "a/b", "A", "", "."} {
		arguments, err := json.Marshal(map[string]any{"name": name, "description": "Does it."})
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, c, "new", string(arguments)); !strings.HasPrefix(got, "error: ") {
			t.Errorf("new %q: %s", name, got)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

func TestDemoConversation(t *testing.T) {
	if !strings.Contains(DemoConversation, DemoPrompt) {
		t.Error("the recording does not begin with the demo's prompt")
	}
}
