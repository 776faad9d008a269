package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestCollisions(t *testing.T) {
	const a, b = "---\nname: pdf\ndescription: A.\n---\n", "---\nname: pdf\ndescription: B.\n---\n"
	const c = "---\nname: pdf\ndescription: C.\n---\n<!-- skills: ignore name-collision -- on purpose -->\n"
	for _, tt := range []struct {
		name string
		docs []string // path, text, …
		want string   // the paths that are reported
	}{
		{"two", []string{"skills/x/pdf/SKILL.md", a, "skills/y/pdf/SKILL.md", b}, "skills/y/pdf/SKILL.md"},
		{"what is kept", []string{"skills/x/pdf/SKILL.md", a, "skills/archive/pdf/SKILL.md", b, "skills_copy/skills/pdf/SKILL.md", b}, ""},
		{"the first stays", []string{"skills/y/pdf/SKILL.md", b, "skills/x/pdf/SKILL.md", a}, "skills/x/pdf/SKILL.md"},
		{"three", []string{"x/pdf/SKILL.md", a, "y/pdf/SKILL.md", b, "z/pdf/SKILL.md", a + "more"}, "y/pdf/SKILL.md z/pdf/SKILL.md"},
		{"no folder called skills", []string{"pdf/SKILL.md", a, "tools/pdf/SKILL.md", b}, "tools/pdf/SKILL.md"},
		{"above", []string{"../x/pdf/SKILL.md", a, "../y/pdf/SKILL.md", b}, "../y/pdf/SKILL.md"},
		{"ignored", []string{"x/pdf/SKILL.md", a, "y/pdf/SKILL.md", c}, ""},
		{"two clients", []string{".claude/skills/pdf/SKILL.md", a, ".agents/skills/pdf/SKILL.md", b, ".github/skills/pdf/SKILL.md", a + "x"}, ""},
		{"two clients, without skills", []string{".claude/pdf/SKILL.md", a, ".agents/pdf/SKILL.md", b}, ""},
		{"two plugins", []string{"plugins/a/skills/pdf/SKILL.md", a, "plugins/b/skills/pdf/SKILL.md", b}, ""},
		{"samples", []string{"skills/pdf/SKILL.md", a, "skills/x/testdata/pdf/SKILL.md", b, "skills/templates/pdf/SKILL.md", b + "x"}, ""},
		{"other names", []string{"skills/x/pdf/SKILL.md", a, "skills/y/pdf2/SKILL.md", strings.Replace(b, "pdf", "pdf2", 1)}, ""},
		{"no names", []string{"x/SKILL.md", "---\ndescription: A.\n---\n", "y/SKILL.md", "---\ndescription: B.\n---\n", "z/SKILL.md", "x"}, ""},
	} {
		var docs []*spec.Document
		for i := 0; i < len(tt.docs); i += 2 {
			docs = append(docs, parseAt(tt.docs[i], tt.docs[i+1]))
		}
		var got []string
		found := collisions(docs, spec.Options{})
		for i := range docs {
			for _, x := range found[i] {
				got = append(got, x.Path)
				if x.Level != spec.Warning || x.Span != (spec.Span{Start: spec.Pos{Line: 2, Column: 7}, End: spec.Pos{Line: 2, Column: 10}}) || !strings.Contains(x.Message, `the name "pdf" is also used by `) {
					t.Errorf("%s: %+v", tt.name, x)
				}
			}
		}
		if strings.Join(slices.Sorted(slices.Values(got)), " ") != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
	docs := []*spec.Document{parseAt("x/pdf/SKILL.md", a), parseAt("y/pdf/SKILL.md", b)}
	for _, opts := range []spec.Options{{Levels: map[string]spec.Level{"name-collision": spec.Off}}, {Profile: spec.ProfileReference}} {
		if got := collisions(docs, opts); len(got[1]) > 0 {
			t.Errorf("with %v: got %v", opts, got)
		}
	}
	if got := collisions(docs, spec.Options{Levels: map[string]spec.Level{"name-collision": spec.Error}}); got[1][0].Level != spec.Error {
		t.Errorf("got %v, want errors", got)
	}
}

// collisions compares documents, each of which is where its path says.
func collisions(docs []*spec.Document, opts spec.Options) (found [][]spec.Diagnostic) {
	names := Names{}
	for _, d := range docs {
		found = append(found, names.Add(NamedOf(d, Place{File: d.Path}), opts))
	}
	return found
}

// TestSameDescription checks that a description is reported where another skill of the
// same root has it, once for a skill whose name is taken too.
func TestSameDescription(t *testing.T) {
	skill := func(name, description string) string {
		return "---\nname: " + name + "\ndescription: " + description + "\n---\n"
	}
	for _, tt := range []struct {
		name string
		docs []string // path, text, …
		want string
	}{
		{"two", []string{"skills/a/SKILL.md", skill("a", "Does x."), "skills/b/SKILL.md", skill("b", ">\n  Does\n  x.")}, "skills/b/SKILL.md:3: the description is also that of skills/a/SKILL.md: a model cannot choose between the two"},
		{"in another case and width", []string{"skills/a/SKILL.md", skill("a", "Does X."), "skills/b/SKILL.md", skill("b", "does \uff58.")}, "skills/b/SKILL.md:3: the description is also that of skills/a/SKILL.md: a model cannot choose between the two"},
		{"name as well", []string{"skills/a/SKILL.md", skill("a", "Does x."), "skills/b/a/SKILL.md", skill("a", "Does x.") + "x"}, `skills/b/a/SKILL.md:2: the name "a" is also used by skills/a/SKILL.md`},
		{"two plugins", []string{"p/skills/a/SKILL.md", skill("a", "Does x."), "q/skills/b/SKILL.md", skill("b", "Does x.")}, ""},
		{"none", []string{"skills/a/SKILL.md", skill("a", ""), "skills/b/SKILL.md", skill("b", "")}, ""},
		{"ignored", []string{"skills/a/SKILL.md", skill("a", "Does x."), "skills/b/SKILL.md", skill("b", "Does x.") + "<!-- skills: ignore name-collision -- two of a kind -->\n"}, ""},
	} {
		var docs []*spec.Document
		for i := 0; i < len(tt.docs); i += 2 {
			docs = append(docs, parseAt(tt.docs[i], tt.docs[i+1]))
		}
		got := ""
		for _, found := range collisions(docs, spec.Options{}) {
			for _, x := range found {
				got += fmt.Sprintf("%s:%d: %s", x.Path, x.Span.Start.Line, x.Message)
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestCollidingCopies verifies that copies are advice.
func TestCollidingCopies(t *testing.T) {
	const text = "---\nname: pdf\ndescription: A.\n---\n"
	docs := []*spec.Document{parseAt("x/pdf/SKILL.md", text), parseAt("y/pdf/SKILL.md", text)}
	got := collisions(docs, spec.Options{})[1]
	if len(got) != 1 || got[0].Level != spec.Info || got[0].Message != `the name "pdf" is also used by x/pdf/SKILL.md, which has the same text` {
		t.Errorf("got %v", got)
	}
}

// TestSkillsRoot verifies that folders above the place where a search began say
// nothing about samples.
// TestCollidingVersions verifies that a folder which is another one with a version is advice.
func TestCollidingVersions(t *testing.T) {
	const a, b = "---\nname: pdf\ndescription: A.\n---\n", "---\nname: pdf\ndescription: B.\n---\n"
	for paths, want := range map[[2]string]spec.Level{
		{"x/pdf/SKILL.md", "x/pdf-0-1-0/SKILL.md"}:     spec.Info,
		{"x/pdf/SKILL.md", "x/pdf-v2/SKILL.md"}:        spec.Info,
		{"x/pdf/SKILL.md", "x/pdf.bak.17843/SKILL.md"}: spec.Info,
		{"x/pdf-1.0/SKILL.md", "x/pdf-old/SKILL.md"}:   spec.Info,
		{"x/pdf/SKILL.md", "x/pdf-tools/SKILL.md"}:     spec.Warning,
		{"x/pdf/SKILL.md", "y/pdf/SKILL.md"}:           spec.Warning,
		{"x/team-a-pdf/SKILL.md", "x/b-pdf/SKILL.md"}:  spec.Warning,
		{"x/forms/SKILL.md", "x/documents-2/SKILL.md"}: spec.Warning,
	} {
		got := collisions([]*spec.Document{parseAt(paths[0], a), parseAt(paths[1], b)}, spec.Options{})[1]
		if len(got) != 1 || got[0].Level != want {
			t.Errorf("%v: got %v, want %v", paths, got, want)
		}
	}
}

func TestSkillsRoot(t *testing.T) {
	for _, tt := range []struct {
		file, from, root string
		sample           bool
	}{
		{"/home/me/demo/x/a/SKILL.md", "/home/me/demo", "", false},
		{"/home/me/demo/x/a/SKILL.md", "/home/me", "", true},
		{"/home/me/demo/a/SKILL.md", "/home/me/demo/a", "", false},
		{"/demo/skills/x/a/SKILL.md", "/", "/demo/skills", false},
		{"/demo/skills/templates/a/SKILL.md", "/demo/skills", "/demo/skills", true},
		{"/demo/skills/templates/a/SKILL.md", "/demo/skills/templates", "/demo/skills", false},
		{"/home/.cache/tests/a/SKILL.md", "/home/.cache/tests", "/home/.cache", false},
		{"/demo/x/a/SKILL.md", "/", "", true},
		{"/link/tests/a/SKILL.md", "/elsewhere", "", false},
		{"x/tests/a/SKILL.md", "", "", true},
	} {
		if root, sample := skillsRoot(Place{tt.file, tt.from}); root != tt.root || sample != tt.sample {
			t.Errorf("%s from %s: got %q, %t", tt.file, tt.from, root, sample)
		}
	}
}
