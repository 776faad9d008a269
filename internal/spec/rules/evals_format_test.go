package rules

import (
	"strings"
	"testing"
)

func TestEvalsFormat(t *testing.T) {
	eval := func(fields string) string {
		return "{\"skill_name\": \"my-skill\", \"evals\": [\n{" + fields + "}\n]}"
	}
	for _, tt := range []struct{ name, src, want string }{
		{"empty", "", "1:1: not valid JSON: unexpected end of JSON input"},
		{"blank", " \n", "1:2: not valid JSON: unexpected end of JSON input"},
		{"comma", "{\n  \"evals\": [],\n}\n", "3:1: not valid JSON: invalid character '}' looking for beginning of object key string"},
		{"comment", "{\n  // evals\n}\n", "2:3: not valid JSON: invalid character '/' looking for beginning of object key string"},
		{"cut", "{\"evals\": [", "1:11: not valid JSON: unexpected end of JSON input"},
		{"word", "{\"é\": yes}", "1:7: not valid JSON: invalid character 'y' looking for beginning of value"},
		{"after the end", "{}\n}", "2:1: not valid JSON: invalid character '}' after top-level value"},
		{"list", "[1]", "1:1: the file is a list, not an object"},
		{"string", " \"x\"", "1:2: the file is a string, not an object"},
		{"nothing in it", "{}", "1:1: evals is missing\n1:1: skill_name is missing"},
		{"other skill", "{\"skill_name\": \"other\", \"evals\": [{\"prompt\": \"x\"}]}", "1:16: skill_name is \"other\", but the skill is called \"my-skill\""},
		{"no evals", "{\"skill_name\": \"my-skill\", \"evals\": []}", "1:37: evals has no entry"},
		{"skill_name is a number", "{\"skill_name\": 1, \"evals\": {}}", "1:16: skill_name is a number, not a string\n1:28: evals is an object, not a list"},
		{"eval is a string", "{\"skill_name\": \"my-skill\", \"evals\": [\n\"x\"]}", "2:1: an eval is a string, not an object"},
		{"no prompt", eval(`"id": 1`), "2:1: an eval has no prompt"},
		{"blank prompt", eval(`"prompt": " "`), "2:12: prompt is empty"},
		{"prompt is a number", eval(`"prompt": 1`), "2:12: prompt is a number, not a string"},
		{"list of evals", `[{"prompt": "x", "assertions": []}]`, "1:1: the file is a list, not an object"},
		{"no skill_name", `{"evals": [{"prompt": "x"}]}`, "1:1: skill_name is missing"},
		{"ids twice", eval(`"id": 1, "prompt": "x"},{"id": 1, "prompt": "y"`), "2:33: two evals have the id 1"},
		{"expected_output is a number", eval(`"prompt": "x", "expected_output": 1`), "2:36: expected_output is a number, not a string"},
		{"files is a string", eval(`"prompt": "x", "files": "a"`), "2:26: files is a string, not a list"},
		{"a file is a number", eval(`"prompt": "x", "files": [1]`), "2:27: a file is a number, not a string"},
		{"a file is missing", eval(`"prompt": "é", "files": ["evals/files/a.txt", "evals/files/none.txt"]`), "2:48: the file \"evals/files/none.txt\" does not exist"},
		{"a file is outside", eval(`"prompt": "x", "files": ["../../a.txt", "/etc/passwd"]`), "2:27: the file \"../../a.txt\" is outside the skill\n2:42: the file \"/etc/passwd\" is outside the skill"},
		{"assertions is a string", eval(`"prompt": "x", "assertions": "a"`), "2:31: assertions is a string, not a list"},
		{"an assertion is a number", eval(`"prompt": "x", "expectations": [1, ""]`), "2:34: one of the expectations is a number, not a string\n2:37: one of the expectations is empty"},

		{"guide", eval(`"id": 1, "prompt": "x", "expected_output": "y", "files": ["evals/files/a.txt"], "assertions": ["z"]`), ""},
		{"skill-creator", eval(`"id": 1, "prompt": "x", "expected_output": "y", "files": [], "expectations": ["z"]`), ""},
		{"nothing asserted yet", eval(`"id": 1, "prompt": "x", "expected_output": "y"`), ""},
		{"objects, further keys", eval(`"id": 1, "prompt": "x", "type": "t", "assertions": [{"name": "a", "description": "b"}], "files": null`), ""},
		{"files from evals/", eval(`"prompt": "x", "files": ["files/a.txt", "./evals/files/a.txt", "evals\\files\\a.txt", "../SKILL.md", "https://example.com/x"]`), ""},
		{"in a folder that is not listed", eval(`"prompt": "x", "files": ["data/x.csv"]`), ""},
		{"cases of another tool", `[{"input": "x", "grader": "y"}]`, ""},
		{"cases under another key", `{"version": 1, "cases": [{"input": "x"}]}`, ""},
		{"evals of another tool", `{"skill": "x", "evals": [{"id": "a", "task": "x", "checks": []}]}`, ""},
		{"the skill under another key", `{"skill": "x", "evals": [{"prompt": "x"}]}`, ""},
		{"several turns", eval(`"prompt": [{"role": "user"}]`), ""},
		{"structured output", eval(`"prompt": "x", "expected_output": {"a": 1}, "files": [{"path": "x"}]`), ""},
		{"queries", `[{"query": "x", "should_trigger": true}]`, ""},
		{"queries among evals", eval(`"query": "x", "should_trigger": true`), ""},
	} {
		d := bodyWith("x\n", map[string]string{evalsFile: tt.src, "evals/files/a.txt": "x", "data/": ""})
		got := strings.ReplaceAll(strings.Join(findings(d, "evals-format"), "\n"), evalsFile+":", "")
		if got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestEvalsOfANamelessSkill verifies that nothing is compared with a name that is
// missing: name-required reports it.
func TestEvalsOfANamelessSkill(t *testing.T) {
	for _, name := range []string{"", "name:\n", "name: \"\"\n"} {
		d := skillWith("---\n"+name+"description: Does a thing. Use when testing.\n---\nx\n", map[string]string{evalsFile: `{"skill_name": "ev", "evals": [{"prompt": "x"}]}`})
		if got := findings(d, "evals-format"); got != nil {
			t.Errorf("%q: got %q", name, got)
		}
	}
}
