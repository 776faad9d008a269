package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// skillOf returns the files of a skill with a body.
func skillOf(body string, files ...string) snapshot {
	all := snapshot{"s/SKILL.md": {0o644, []byte("---\nname: my-skill\ndescription: Does this and that. Use for everything.\nlicense: MIT\n---\n" + body)}}
	for _, name := range files {
		all["s/"+name] = file{0o644, []byte("some words of text\n")}
	}
	all["other/SKILL.md"] = file{0o644, []byte("another")}
	return all
}

// TestFindParts checks which parts skills have, and that leaving one out leaves the rest.
func TestFindParts(t *testing.T) {
	for _, c := range []struct {
		name, body string
		files      []string
		level      int
		want       []string // parts, in the order of the body, with what is left of it
	}{
		{"no heading", "Text.\n", nil, 0, nil},
		{"title only", "# Title\nText.\n", nil, 0, nil},
		{"two sections below a title", "# T\nIntro.\n\n## A\na\n### deep\nx\n\n## B\nb\n", nil, 0, []string{
			"section:(introduction) # T\n## A\na\n### deep\nx\n\n## B\nb\n", "section:A # T\nIntro.\n\n## B\nb\n", "section:B # T\nIntro.\n\n## A\na\n### deep\nx\n\n"}},
		{"the level is given", "# T\n## A\n### x\n1\n### y\n2\n## B\n", nil, 3, []string{
			"section:x # T\n## A\n### y\n2\n## B\n", "section:y # T\n## A\n### x\n1\n## B\n"}},
		{"no section of the level", "# T\n## A\n", nil, 5, nil},
		{"several of the highest level", "# A\n1\n# B\n## x\n## y\n", nil, 0, []string{"section:A # B\n## x\n## y\n", "section:B # A\n1\n"}},
		{"one section", "# T\n\n## A\na\n", nil, 0, []string{"section:A # T\n\n"}},
		{"equal names", "## A\n1\n## A\n2\n", nil, 0, []string{"section:A ## A\n2\n", "section:A (2) ## A\n1\n"}},
		{"a line makes the title", "Title\n=====\nIntro.\n\nA\n-\n1\n\nB\n-\n2\n", nil, 0, []string{
			"section:(introduction) Title\n=====\nA\n-\n1\n\nB\n-\n2\n", "section:A Title\n=====\nIntro.\n\nB\n-\n2\n", "section:B Title\n=====\nIntro.\n\nA\n-\n1\n\n"}},
		{"a heading in code", "## A\n```\n## B\n```\n## C\n1\n", nil, 0, []string{"section:A ## C\n1\n", "section:C ## A\n```\n## B\n```\n"}},
		{"headings of lists and quotations", "## A\n> ## quoted\n\n- ## item\n\nText.\n\n## C\n1\n", nil, 0, []string{
			"section:A ## C\n1\n", "section:C ## A\n> ## quoted\n\n- ## item\n\nText.\n\n"}},
		{"files", "See references/a.md.\n", []string{"references/a.md", "scripts/run.py", "LICENSE.txt", ".hidden"}, 0, []string{
			"file:references/a.md See references/a.md.\n", "file:scripts/run.py See references/a.md.\n"}},
	} {
		files := skillOf(c.body, c.files...)
		var got []string
		for _, p := range findParts(files, "s", c.level, false) {
			left, cut := files.without("s", p)
			front, body, _ := strings.Cut(string(left["s/SKILL.md"].Data), "\n---\n")
			if p.kind == "description" {
				if front != "---\nname: my-skill\ndescription: \"my skill\"\nlicense: MIT" || body != c.body || p.tokens < 5 {
					t.Errorf("%s: description: %s\n%s", c.name, front, body)
				}
				continue
			}
			if p.kind == "file" != (len(left) < len(files)) || cut == "" || p.tokens == 0 {
				t.Errorf("%s: %s: %d files, %q is cut, %d tokens", c.name, p.name, len(left), cut, p.tokens)
			}
			got = append(got, p.name+" "+body)
		}
		if diff := cmp.Diff(fmt.Sprint(sorted(c.want)), fmt.Sprint(sorted(got))); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func sorted(list []string) map[string]bool {
	all := map[string]bool{}
	for _, one := range list {
		all[one] = true
	}
	return all
}

// TestWithoutParts checks that parts are left out together, that the largest is first, and
// that mentions of a file are found.
func TestWithoutParts(t *testing.T) {
	files := skillOf("# T\n## A\n"+strings.Repeat("many words here ", 50)+"\n## B\nSee\nreferences/a.md.\n", "references/a.md")
	parts := findParts(files, "s", 0, false)
	if parts[0].name != "section:A" {
		t.Errorf("the first part is %s", parts[0].name)
	}
	for _, p := range parts {
		if places := files.below("s").mentions(p.file); p.kind == "file" && fmt.Sprint(places) != "[SKILL.md:11]" {
			t.Errorf("mentions %q", places)
		}
	}
	left, cut := files.without("s", parts...)
	if text := string(left["s/SKILL.md"].Data); text != "---\nname: my-skill\ndescription: \"my skill\"\nlicense: MIT\n---\n# T\n" || len(left) != 2 || !strings.Contains(cut, "some words of text") {
		t.Errorf("%q %q", text, cut)
	}
	if hidden := findParts(files, "s", 0, true); len(hidden) != len(parts)-1 {
		t.Errorf("%d parts of a hidden skill", len(hidden))
	}
	if _, still := files["s/references/a.md"]; !still {
		t.Error("the whole skill has changed")
	}
}

// TestFolderNames checks that folders of names differ, also where case is ignored, and that
// every system takes them.
func TestFolderNames(t *testing.T) {
	folders := folderNames{}
	var got []string
	for _, name := range []string{"a/b", "A:b", "a-b-2", "a b", "..", "", strings.Repeat("é", 300), "x.", "模型"} {
		got = append(got, folders.next(name))
	}
	want := []string{"a-b", "A-b-2", "a-b-2-2", "a-b-3", "unnamed", "unnamed-2", strings.Repeat("é", 80), "x", "模型"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzParts leaves out the parts of any text: each takes from it what is cut and nothing else.
func FuzzParts(f *testing.F) {
	for _, body := range []string{"# T\n## A\na\n## B\n", "A\n-\n\nB\n=\n", "\r\n# A\r\n", "> # q\n# A\n#", "```\n# A\n", "\x00#\t\n"} {
		f.Add(body, 0)
	}
	f.Fuzz(func(t *testing.T, body string, level int) {
		files := skillOf(body)
		whole := string(files["s/SKILL.md"].Data)
		for _, p := range findParts(files, "s", level, false) {
			left, cut := files.without("s", p)
			text := string(left["s/SKILL.md"].Data)
			if p.kind == "section" && (len(text)+len(cut)-1 != len(whole) || !strings.Contains(whole, strings.TrimSuffix(cut, "\n"))) {
				t.Errorf("%s: %q is left, %q is cut", p.name, text, cut)
			}
		}
	})
}
