package rules

import "testing"

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
