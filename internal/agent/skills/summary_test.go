package skills_test

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// TestSummaries checks what people and records read of each kind of call: the names as
// the skill has them, or of a call that cannot be run, those that the model wrote.
func TestSummaries(t *testing.T) {
	b, _ := converterBench(t)
	for _, tt := range []struct{ tool, arguments, kind, target, line string }{
		{"load_skill", `{"skill_name":"Unit-Converter"}`, agent.KindSkill, "unit-converter", "unit-converter"},
		{"load_skill", `{"skillName":"a\n9 user"}`, agent.KindSkill, "a\n9 user", "a\n9 user"},
		{"read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/conversion-table.md"}`,
			agent.KindResource, "unit-converter/references/conversion-table.md", "unit-converter/references/conversion-table.md"},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":" 2"}}`,
			agent.KindScript, "unit-converter/scripts/convert.py", "unit-converter/scripts/convert.py --value ' 2'"},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py"}`,
			agent.KindScript, "unit-converter/scripts/convert.py", "unit-converter/scripts/convert.py"},
		{"run_skill_script", `{"skillName":"a","scriptName":"b","args":["x"]}`, agent.KindOther, "", "a/b x"},
	} {
		got := b.invocation(tt.tool, tt.arguments).Summary(t.Context())
		if got.Kind != tt.kind || got.Target() != tt.target || got.Line != tt.line {
			t.Errorf("%s(%s): got %+v", tt.tool, tt.arguments, got)
		}
	}
}

// TestShownSkill checks that people see a loaded skill without the schemas of its
// scripts, and the model with them.
func TestShownSkill(t *testing.T) {
	contents := loader.Contents{Text: "Read this.", Scripts: []loader.Script{{Name: "f", Call: echo, Schema: map[string]any{"type": "object"}}}}
	b := newBench(t, skills.Options{Source: loader.Memory(memory("coded", "Is code.", contents))})
	got := b.call("load_skill", `{"skillName":"coded"}`)
	if !strings.Contains(got.Text, `<script name="f"><parameters_schema>`) || !strings.Contains(got.Shown, `<script name="f"/>`) || strings.Contains(got.Shown, "schema>") {
		t.Errorf("the model reads\n%s\npeople\n%s", got.Text, got.Shown)
	}
}
