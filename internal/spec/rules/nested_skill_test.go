package rules

import (
	"strings"
	"testing"
)

func TestNestedSkill(t *testing.T) {
	d := bodyWith("", map[string]string{"b/SKILL.md": "x", "sub/a/SKILL.md": "x"})
	want := "b/SKILL.md: the skill \"b\" is inside another one, \"my-skill\"\nsub/a/SKILL.md: the skill \"sub/a\" is inside another one, \"my-skill\""
	if got := strings.Join(findings(d, "nested-skill"), "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
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
