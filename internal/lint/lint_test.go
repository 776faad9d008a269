package lint

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
)

const (
	good = "---\nname: good\ndescription: Does a thing. Use when testing.\n---\n# Body\n\nText.\n"
	// One error that can be fixed.
	colon = "---\nname: bad\ndescription: Use when: testing\n---\n# Body\n\nText.\n"
)

// folder makes a working folder with files and changes to it, as paths are
// relative to it.
func folder(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// run runs Run with the options.
func run(t testing.TB, o Options) (r *Run, skills []report.Skill, err error) {
	r, err = Start(t.Context(), o)
	if err != nil {
		return r, nil, err
	}
	return r, skills, r.Check(t.Context(), func(s report.Skill) error {
		skills = append(skills, s)
		return nil
	})
}

// found lists findings as "path rule", sorted as the report is.
func found(skills []report.Skill) (out []string) {
	for _, s := range skills {
		for _, d := range s.Diagnostics {
			out = append(out, filepath.ToSlash(d.Path)+" "+d.Rule)
		}
	}
	return out
}

func TestRun(t *testing.T) {
	dir := folder(t, map[string]string{
		"skills/bad/SKILL.md": strings.NewReplacer("good", "Bad", "a thing", "more").Replace(good), "skills/good/SKILL.md": good,
		"skills/old/SKILL.md": colon, ".skills.yaml": "exclude: [old]\nrules: {name-directory: off}\n", ".git/HEAD": "",
	})
	for name, tt := range map[string]struct {
		o      Options
		skills int
		want   []string
	}{
		"a tree, configured":        {Options{}, 2, []string{"skills/bad/SKILL.md name-lowercase"}},
		"the options win":           {Options{Levels: map[string]spec.Level{"name-lowercase": spec.Off}}, 2, nil},
		"another profile":           {Options{Profile: spec.ProfileReference, Input: Input{Paths: []string{"skills/good"}}}, 1, nil},
		"an excluded path, named":   {Options{Input: Input{Paths: []string{"skills/old"}}}, 1, []string{"skills/old/SKILL.md frontmatter-syntax"}},
		"and excluded all the same": {Options{Input: Input{Paths: []string{"skills/old"}, ForceExclude: true}}, 0, nil},
		"twice":                     {Options{Input: Input{Paths: []string{"skills/good", "skills/good/SKILL.md", "skills"}}}, 2, []string{"skills/bad/SKILL.md name-lowercase"}},
		"a file in no skill":        {Options{Input: Input{Paths: []string{".skills.yaml", "skills/good"}, IgnoreUnmatched: true}}, 1, nil},
		"standard input": {Options{Input: Input{Paths: []string{Stdin}, Stdin: strings.NewReader(colon), StdinFilename: "skills/good/SKILL.md"}}, 1,
			[]string{"skills/good/SKILL.md frontmatter-syntax"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.o.Dir, tt.o.Least = dir, spec.Error
			r, skills, err := run(t, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := found(skills); !slices.Equal(got, tt.want) || len(skills) != tt.skills || r.Partial {
				t.Errorf("got %d skills, %q, partial %v; want %d, %q", len(skills), got, r.Partial, tt.skills, tt.want)
			}
		})
	}
}

// TestErrors reports every path that cannot be resolved, with a hint each.
func TestErrors(t *testing.T) {
	dir := folder(t, map[string]string{"README.md": "", "good/SKILL.md": good})
	_, err := Start(t.Context(), Options{Dir: dir, Input: Input{Paths: []string{"README.md", "missing", "good"}}})
	var several Errors
	if !errors.As(err, &several) || len(several) != 2 {
		t.Fatalf("got %v, want two errors", err)
	}
	for i, name := range []string{"README.md", "missing"} {
		var target *loader.TargetError
		if !errors.As(several[i], &target) || !strings.Contains(target.Error(), name) || fault.Hint(target) == "" {
			t.Errorf("got %v, want an error about %s", several[i], name)
		}
	}
	_, err = Start(t.Context(), Options{Dir: dir, Input: Input{Paths: []string{Stdin}, Stdin: strings.NewReader(""), StdinFilename: "a/README.md"}})
	var bad *fault.Error
	if !errors.As(err, &bad) || bad.Hint == "" {
		t.Errorf("got %v, want an *Error with a hint", err)
	}
}

func TestFix(t *testing.T) {
	dir := folder(t, map[string]string{"bad/SKILL.md": colon, "good/SKILL.md": good})
	o := Options{Dir: dir, FixLevel: spec.Warning, Results: Results{Least: spec.Error}}
	var changes []fix.Changes
	partial, err := Diff(t.Context(), o, func(c fix.Changes) error {
		changes = append(changes, c)
		return nil
	})
	if err != nil || partial || len(changes) != 1 || len(changes[0].Fixed) != 1 {
		t.Errorf("got %+v, %v, %v, want one change", changes, partial, err)
	}
	if text, _ := os.ReadFile("bad/SKILL.md"); string(text) != colon {
		t.Error("the file was changed")
	}
	o.Fix = true
	r, skills, err := run(t, o)
	if err != nil || r.Partial || r.Fixed != 1 || r.FixedSkills != 1 || len(r.Failed) > 0 || len(found(skills)) > 0 {
		t.Errorf("got %+v, %q, %v, want one skill fixed", r, found(skills), err)
	}
	if text, _ := os.ReadFile("bad/SKILL.md"); !strings.Contains(string(text), `description: "Use when: testing"`) {
		t.Errorf("the file is %q", text)
	}
}

// TestFixFails reports a skill that cannot be fixed, and fixes the others.
func TestFixFails(t *testing.T) {
	name := strings.Repeat("n", 252) + ".md" // too long for a temporary file next to it
	dir := folder(t, map[string]string{
		"bad/SKILL.md":           colon,
		"odd/SKILL.md":           strings.Replace(good, "good", "odd", 1) + "[a](references/" + name + ") [b](references/notes.md)\n",
		"odd/references/" + name: "[notes](Notes.md)\n", "odd/references/notes.md": "Notes.\n",
	})
	r, _, err := run(t, Options{Dir: dir, Fix: true, FixLevel: spec.Warning})
	if err != nil || !r.Partial || r.Fixed != 1 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error(), "odd") {
		t.Errorf("got fixed %d, failed %v, partial %v, %v", r.Fixed, r.Failed, r.Partial, err)
	}
}

// TestBaseline writes the findings, and reports none of them afterwards.
func TestBaseline(t *testing.T) {
	dir := folder(t, map[string]string{"bad/SKILL.md": colon})
	o := Options{Dir: dir, Input: Input{Paths: []string{"bad"}}, Comparison: Comparison{WriteBaseline: "known.json"}}
	if r, skills, err := run(t, o); err != nil || len(found(skills)) == 0 || r.Saved != 1 {
		t.Fatalf("got %q, %v, want one finding saved", found(skills), err)
	}
	o.WriteBaseline, o.Baseline = "", "known.json"
	r, skills, err := run(t, o)
	if err != nil || len(found(skills)) > 0 || r.Known != 1 || len(r.Gone) > 0 {
		t.Errorf("got %q, %d known, gone %q, %v, want one known", found(skills), r.Known, r.Gone, err)
	}
	if err := os.WriteFile("bad/SKILL.md", []byte(strings.Replace(good, "good", "bad", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	r, _, err = run(t, o)
	if err != nil || len(r.Gone) == 0 {
		t.Errorf("got gone %q, %v, want the error that was fixed", r.Gone, err)
	}
}

// TestSnippets gives findings their line and edits their place, and marks lines
// with a key, also if the finding about the key is not reported.
func TestSnippets(t *testing.T) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	body := "[x](no.md) " + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	dir := folder(t, map[string]string{"good/SKILL.md": good + body, "bad/SKILL.md": colon})
	o := Options{Dir: dir, Results: Results{Least: spec.Error}, Levels: map[string]spec.Level{"link-target": spec.Error}}
	_, skills, err := run(t, o)
	if err != nil || len(skills) != 2 || len(found(skills)) != 2 {
		t.Fatalf("got %q, %v", found(skills), err)
	}
	syntax, link := skills[0].Diagnostics[0], skills[1].Diagnostics[0]
	if syntax.Snippet != "description: Use when: testing" || syntax.Sensitive {
		t.Errorf("got %q, sensitive %v", syntax.Snippet, syntax.Sensitive)
	}
	if e := syntax.Fix.Edits[0]; e.Path != filepath.Join("bad", "SKILL.md") || e.Span.Start.Line != 3 {
		t.Errorf("the edit is at %s, %v", e.Path, e.Span)
	}
	if link.Snippet != "[x](no.md) -----BEGIN PRIVATE KEY-----" || !link.Sensitive {
		t.Errorf("got %q, sensitive %v, want a line of a key", link.Snippet, link.Sensitive)
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("é", maxSourceLine)
	at := func(column int) spec.Span { return spec.Span{Start: spec.Pos{Line: 1, Column: column}} }
	for _, tt := range []struct {
		line string
		span spec.Span
		want int // bytes
	}{{"short", at(1), 5}, {long, at(1), maxSourceLine}, {"x" + long, at(1), maxSourceLine - 1}, {long, at(maxSourceLine), 0}} {
		if got := clip(tt.line, tt.span); len(got) != tt.want || !strings.HasPrefix(tt.line, got) {
			t.Errorf("got %d bytes, want %d", len(got), tt.want)
		}
	}
}

// memory is a skill's folder in memory.
type memory map[string]string

func (memory) List() []spec.File                 { return nil }
func (memory) Unlisted() []spec.Unlisted         { return nil }
func (memory) Above(string) (exists, known bool) { return false, false }
func (f memory) Read(name string, limit int64) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(text[:min(int64(len(text)), limit)]), nil
}

func TestLocate(t *testing.T) {
	doc := loader.ParseDocument("my-skill/SKILL.md", "my-skill", []byte("---\r\nname: x\r\n"))
	doc.Files = memory{"references/a.md": "é\nxyz\n"}
	at := func(line, from, toLine, to int) spec.Span {
		return spec.Span{Start: spec.Pos{Line: line, Column: from}, End: spec.Pos{Line: toLine, Column: to}}
	}
	reference := filepath.FromSlash("my-skill/references/a.md")
	for _, tt := range []struct {
		edit spec.Edit
		path string
		want spec.Span
	}{
		{spec.Edit{Start: 5, End: 9}, doc.Path, at(2, 1, 2, 5)},
		{spec.Edit{File: "SKILL.md", Start: 0, End: 5}, doc.Path, at(1, 1, 2, 1)},
		{spec.Edit{File: "references/a.md", Start: 2, End: 4}, reference, at(1, 2, 2, 2)},
		{spec.Edit{File: "references/a.md", Start: 2, End: 400}, "", spec.Span{}},
		{spec.Edit{File: "no.md"}, "", spec.Span{}},
	} {
		doc.File = "SKILL.md"
		found := []spec.Diagnostic{{Path: doc.Path, Fix: &spec.Fix{Edits: []spec.Edit{tt.edit}}}}
		annotate(doc, found)
		if e := found[0].Fix.Edits[0]; e.Path != tt.path || e.Span != tt.want {
			t.Errorf("%+v: got %s, %v, want %s, %v", tt.edit, e.Path, e.Span, tt.path, tt.want)
		}
	}
}
