package suite

import (
	"context"
	"slices"
	"strings"
	"testing"

	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// TestAgreement checks that the rule evals-format reports nothing in a file that loads
// without problems, and that what it reports is a problem here too. Other tools than this
// one need skill_name.
func TestAgreement(t *testing.T) {
	const skill = "---\nname: note-taker\ndescription: Takes notes. Use when asked.\n---\nx\n"
	one := func(fields string) string {
		return `{"skill_name": "note-taker", "evals": [{` + fields + `}]}`
	}
	for _, src := range []string{
		one(`"id": 1, "prompt": "x", "expected_output": "y", "files": ["evals/files/a.txt"], "assertions": ["z"]`),
		one(`"id": 1, "prompt": "x", "files": [], "expectations": ["z"]`),
		one(`"id": "a", "prompt": "x", "files": ["files/a.txt", "../SKILL.md"], "assertions": [{"type": "contains", "value": "b"}]`),
		one(`"prompt": "x", "type": "t", "assertions": [{"name": "a", "description": "b"}], "files": null`),
		`[{"query": "x", "should_trigger": true}]`,
		Templates("note-taker")["evals/evals.json"],
		"", "{}", "[1]", `{"evals": {}}`, one(`"id": 1`), one(`"prompt": " "`), one(`"prompt": 1`),
		one(`"prompt": "x", "assertions": "a"`), one(`"prompt": "x", "assertions": [1]`), one(`"prompt": "x", "expectations": [""]`),
		one(`"prompt": "x", "expected_output": 1, "assertions": ["a"]`), one(`"prompt": "x", "files": "a", "assertions": ["a"]`),
		one(`"prompt": "x", "files": ["evals/files/none.txt"], "assertions": ["a"]`), one(`"prompt": "x", "files": ["../../a.txt"], "assertions": ["a"]`),
		one(`"id": 1, "prompt": "x", "assertions": ["a"]}, {"id": 1, "prompt": "y", "assertions": ["a"]`),
		strings.Replace(one(`"prompt": "x", "assertions": ["a"]`), "note-taker", "other", 1), `{"evals": [{"prompt": "x", "assertions": ["a"]}]}`,
	} {
		dir := write(t, map[string]string{"SKILL.md": skill, "evals/evals.json": src, "evals/files/a.txt": "x"})
		_, problems, err := Load(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		found, err := loader.Search{}.Inspect(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		var rule []string
		for _, d := range rules.Check(loader.OpenDocument(found), spec.Options{}) {
			if d.Rule == "evals-format" && d.Message != "skill_name is missing" {
				rule = append(rule, d.Message)
			}
		}
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Level == Note })
		if (len(rule) > 0) != (len(problems) > 0) {
			t.Errorf("%s:\nrule     %q\nproblems %+v", src, rule, problems)
		}
	}
}
