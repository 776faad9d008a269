package rules

import (
	"strings"
	"testing"
)

func TestNestedSkill(t *testing.T) {
	d := bodyWith("", map[string]string{"b/SKILL.md": "x"})
	if got := findings(d, "nested-skill"); len(got) != 1 || got[0] != `SKILL.md: the skill "b" is inside this one` {
		t.Errorf("got %q", got)
	}
	many := map[string]string{}
	for _, dir := range []string{"a", "b", "c", "d"} {
		many["skills/"+dir+"/SKILL.md"] = "x"
	}
	if got := findings(bodyWith("", many), "nested-skill"); len(got) != 1 || got[0] != `SKILL.md: 4 skills are inside this one; the first is "skills/a"` {
		t.Errorf("got %q", got)
	}
	if got := findings(skillWith("# Index\n", map[string]string{"a/SKILL.md": "x"}), "nested-skill"); len(got) != 1 {
		t.Errorf("without frontmatter: got %q", got)
	}
	silent := map[string]string{}
	for _, dir := range []string{"testdata/a", "templates/a", "template", "examples/x/y", "a/Fixtures/b", "assets", "evals/x", "tests"} {
		silent[dir+"/SKILL.md"] = "x"
	}
	if got := findings(bodyWith("", silent), "nested-skill"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// TestNestedFilesOnce checks that the files of a skill inside a skill are checked with
// that one, and files in a folder for examples with the outer one.
func TestNestedFilesOnce(t *testing.T) {
	const key = "ghp_n8Xq2LrV5tYk9WbZ3mHc7JdF4sGa1P0eTu6R"
	d := bodyWith("Read [a](skills/a/notes.md), `/etc/x.md` and [b](/b.md).\n", map[string]string{
		"skills/a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "skills/a/notes.md": "Run `~/x` with " + key + "\n", "examples/b/SKILL.md": "x",
		"examples/b/notes.md": key + "\n",
	})
	got := findings(d, "secret")
	if len(got) != 1 || !strings.HasPrefix(got[0], "examples/b/notes.md:1:1:") {
		t.Errorf("got %q", got)
	}
	if got := findings(d, "link-target"); len(got) > 0 {
		t.Errorf("a link into the skill inside: got %q", got)
	}
}
