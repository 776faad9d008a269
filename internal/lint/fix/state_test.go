package fix

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// memory is a skill's folder in memory.
type memory map[string]string

func (m memory) List() []spec.File {
	var out []spec.File
	for name, text := range m {
		out = append(out, spec.File{Name: name, Mode: 0o644, Size: int64(len(text))})
	}
	slices.SortFunc(out, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (m memory) Unlisted() []spec.Unlisted { return nil }

func (m memory) Above(string) (exists, known bool) { return false, false }

func (m memory) Read(name string, limit int64) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text[:min(int64(len(text)), limit)]), nil
}

const good = "---\nname: my-skill\ndescription: Does a thing. Use when testing.\n---\n# Body\n"

func finding(fix spec.Fix) spec.Diagnostic {
	return spec.Diagnostic{Rule: "link-target", Level: spec.Warning, Fix: &fix}
}

// withFindings is a state in which the rules found something.
func withFindings(src string, files spec.Files, ds ...spec.Diagnostic) *state {
	doc := parse("my-skill", src)
	doc.Files = files
	s := newState(doc, spec.Options{})
	s.found = ds
	return s
}

// TestOtherFiles fixes files other than the SKILL.md, and rules see the fixed files.
func TestOtherFiles(t *testing.T) {
	folder := memory{"SKILL.md": good, "references/a.md": "[b](B.md)\n", "scripts/x.sh": "#!/bin/sh\n"}
	s := withFindings(good, folder,
		finding(spec.Fix{Edits: []spec.Edit{{File: "references/a.md", Start: 4, End: 5, Text: "bbb"}}}),
		finding(spec.Fix{Executable: []string{"scripts/x.sh"}}),
		finding(spec.Fix{Edits: []spec.Edit{{File: "gone.md", Start: 0, End: 1}}}),
		finding(spec.Fix{Edits: []spec.Edit{{File: "SKILL.md", Start: len(good), End: len(good), Text: "end\n"}}}))
	next, fixed := round(s, "")
	if len(fixed) != 3 {
		t.Fatalf("got %d findings fixed, want 3: %v", len(fixed), fixed)
	}
	files := next.files(s)
	var got []string
	for _, f := range files {
		got = append(got, f.Name+" "+string(f.After))
	}
	if want := []string{"SKILL.md " + good + "end\n", "references/a.md [b](bbb.md)\n", "scripts/x.sh "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !files[2].Executable || files[1].Executable || files[0].Executable {
		t.Errorf("the wrong file gets the executable bit: %+v", files)
	}
	text, err := next.doc.Files.Read("references/a.md", 6)
	if err != nil || string(text) != "[b](bb" {
		t.Errorf("the rules read %q, %v", text, err)
	}
	text, err = next.doc.Files.Read("SKILL.md", 1<<20)
	if err != nil || string(text) != good+"end\n" {
		t.Errorf("the rules read %q, %v", text, err)
	}
	_, err = next.doc.Files.Read("no.md", 1)
	if err == nil {
		t.Error("the rules read a missing file")
	}
	for _, f := range next.doc.Files.List() {
		text, err := next.doc.Files.Read(f.Name, 1<<20)
		if err != nil || f.Size != int64(len(text)) || (f.Mode == 0o755) != (f.Name == "scripts/x.sh") {
			t.Errorf("the rules see %+v for %q, %v", f, text, err)
		}
	}
}

// TestHarmfulFixesAreDropped drops fixes that would do harm, and only those.
func TestHarmfulFixesAreDropped(t *testing.T) {
	at := strings.Index(good, "Does")
	nameAt := strings.Index(good, "my-skill")
	for _, tt := range []struct {
		name string
		fix  spec.Fix
	}{
		{"another value", spec.Fix{Edits: []spec.Edit{{Start: at, End: at + 4, Text: "Did"}}}},
		{"a field less", spec.Fix{Edits: []spec.Edit{{Start: nameAt - 6, End: nameAt + 9}}}},
		{"broken YAML", spec.Fix{Edits: []spec.Edit{{Start: at, End: at, Text: "a: "}}}},
		{"no frontmatter", spec.Fix{Edits: []spec.Edit{{Start: 0, End: 4}}}},
		{"an error", spec.Fix{Field: "name", Edits: []spec.Edit{{Start: nameAt, End: nameAt + 8, Text: "other"}}}},
		{"no change", spec.Fix{Edits: []spec.Edit{{Start: at, End: at + 4, Text: "Does"}}}},
		{"backwards", spec.Fix{Edits: []spec.Edit{{Start: at + 4, End: at}}}},
		{"two edits at one place", spec.Fix{Edits: []spec.Edit{{Start: 0, End: 0, Text: "a"}, {Start: 0, End: 0, Text: "b"}}}},
	} {
		quote := finding(spec.Fix{Edits: []spec.Edit{{Start: nameAt, End: nameAt + 8, Text: `"my-skill"`}}})
		s := withFindings(good, nil, finding(tt.fix))
		if _, fixed := round(s, ""); len(fixed) > 0 {
			t.Errorf("%s is taken", tt.name)
		}
		// The fixes of another file are applied nevertheless.
		other := finding(spec.Fix{Edits: []spec.Edit{{File: "a.md", Start: 0, End: 1, Text: "b"}}})
		s = withFindings(good, memory{"SKILL.md": good, "a.md": "a\n"}, finding(tt.fix), other)
		next, fixed := round(s, "")
		if len(fixed) != 1 || string(next.doc.Source) != good || string(next.texts["a.md"]) != "b\n" {
			t.Errorf("beside %s: got %d findings fixed, %q", tt.name, len(fixed), next.doc.Source)
		}
		s = withFindings(good, nil, quote, quote)
		next, fixed = round(s, "")
		if len(fixed) != 2 || !strings.Contains(string(next.doc.Source), `name: "my-skill"`) {
			t.Errorf("one edit for two findings: got %d fixed, %q", len(fixed), next.doc.Source)
		}
	}
}

// TestSameFields checks that nested values and keys count, and their style does not.
func TestSameFields(t *testing.T) {
	doc := func(metadata string) *spec.Document {
		return parse("my-skill", strings.Replace(good, "---\n#", "metadata: "+metadata+"\n---\n#", 1))
	}
	before := doc("{m: {n: 1}, l: [1, {k: x}]}")
	for metadata, want := range map[string]bool{
		"{m: {n: '1'}, 'l': [1, {k: x}]}": true, "\n  m:\n    n: 1\n  l:\n    - 1\n    - k: x": true,
		"{m: {n: 2}, l: [1, {k: x}]}": false, "{m: {o: 1}, l: [1, {k: x}]}": false, "{m: {n: 1}, l: [1, {k: y}]}": false,
		"{m: {n: 1}, l: [1, {j: x}]}": false, "{m: {n: 1}, l: [1]}": false, "{m: {n: 1}, l: 1}": false, "{m: {n: 1}}": false, "{m: {n: 1}, l: {}}": false, "": false,
	} {
		after := doc(metadata)
		if got := sameFields(before, after, nil); got != want {
			t.Errorf("%s: got %v, want %v", metadata, got, want)
		}
		if !sameFields(before, after, []spec.Diagnostic{finding(spec.Fix{Field: "metadata"})}) {
			t.Errorf("%s: the field that is fixed may not change", metadata)
		}
	}
}

func TestOverlappingFixes(t *testing.T) {
	n := len(good)
	s := withFindings(good+"abcdef", nil,
		finding(spec.Fix{Edits: []spec.Edit{{Start: n, End: n + 3, Text: "1"}}}),
		finding(spec.Fix{Edits: []spec.Edit{{Start: n + 2, End: n + 4, Text: "2"}}}),
		finding(spec.Fix{Edits: []spec.Edit{{Start: n + 3, End: n + 6, Text: "3"}}}))
	next, fixed := round(s, "")
	if got := string(next.doc.Source); len(fixed) != 2 || got != good+"13" {
		t.Errorf("got %d findings fixed, %q", len(fixed), got)
	}
}
