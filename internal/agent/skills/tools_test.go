package skills_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/loader"
)

type jsonText = json.RawMessage

// TestRefusals checks the error texts of the framework and the order of its checks.
func TestRefusals(t *testing.T) {
	const available = "\nAvailable skills: other, unit-converter."
	for _, tt := range []struct{ tool, arguments, want string }{
		{"load_skill", `{}`, "Error: Skill name cannot be empty."},
		{"load_skill", `{"skillName":" \t"}`, "Error: Skill name cannot be empty."},
		{"load_skill", `{"skillName":"X"}`, "Error: Skill 'X' not found." + available},
		{"load_skill", `{"skillName":"unit_converter"}`, "Error: Skill 'unit_converter' not found." + available + " Did you mean 'unit-converter'?"},
		{"load_skill", `{"skillName":"/other"}`, "Error: Skill '/other' not found." + available + " Did you mean 'other'?"},
		{"load_skill", `{"skillName":"a\nb\u001b[1m"}`, "Error: Skill 'a␊b␛[1m' not found." + available},
		{"read_skill_resource", `{}`, "Error: Skill name cannot be empty."},
		{"read_skill_resource", `{"resourceName":"x"}`, "Error: Skill name cannot be empty."},
		{"read_skill_resource", `{"skillName":"X"}`, "Error: Resource name cannot be empty."},
		{"read_skill_resource", `{"skillName":"X","resourceName":"y"}`, "Error: Skill 'X' not found." + available},
		{"read_skill_resource", `{"skillName":"other","resourceName":"y"}`, "Error: Resource 'y' not found in skill 'other'.\nThere are no resources."},
		{"read_skill_resource", `{"skillName":"unit-converter","resourceName":"conversion.md"}`,
			"Error: Resource 'conversion.md' not found in skill 'unit-converter'.\nAvailable resources: references/conversion-table.md.\n" +
				"Call read_skill_resource like this:\n" + `{"skillName":"unit-converter","resourceName":"references/conversion-table.md","offset":0}`},
		{"read_skill_resource", `{"skillName":"unit-converter","resourceName":"SKILL.md"}`,
			"Error: Resource 'SKILL.md' not found in skill 'unit-converter'.\nAvailable resources: references/conversion-table.md. The text of SKILL.md is what load_skill returns."},
		{"read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/conversion-table.md","offset":-1}`, "Error: The offset cannot be negative."},
		{"read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/conversion-table.md","offset":33}`,
			"Error: The offset 33 is beyond the end of resource 'references/conversion-table.md', which has 33 bytes."},
		{"run_skill_script", `{}`, "Error: Skill name cannot be empty."},
		{"run_skill_script", `{"scriptName":"x"}`, "Error: Skill name cannot be empty."},
		{"run_skill_script", `{"skillName":"X"}`, "Error: Script name cannot be empty."},
		{"run_skill_script", `{"skillName":"X","scriptName":"y"}`, "Error: Skill 'X' not found." + available},
		{"run_skill_script", `{"skillName":"other","scriptName":"y"}`, "Error: Script 'y' not found in skill 'other'.\nThere are no scripts."},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"convertor.py","arguments":{"value":1}}`,
			"Error: Script 'convertor.py' not found in skill 'unit-converter'.\nAvailable scripts: scripts/convert.py.\nCall run_skill_script like this:\n" +
				`{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":1}}` + "\nIt also takes: factor (number), label (string)."},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","value":1,"faktor":2}`,
			"Error: Unknown parameter \"value\". Parameters of run_skill_script: skillName, scriptName, arguments.\nCall run_skill_script like this:\n" +
				`{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":1}}` + "\nIt also takes: factor (number), label (string)."},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"references/conversion-table.md"}`,
			"Error: Script 'references/conversion-table.md' not found in skill 'unit-converter'."},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"--":1}}`,
			"Error: Failed to execute script 'scripts/convert.py' from skill 'unit-converter'. Exception: "},
	} {
		t.Run(tt.tool+tt.arguments, func(t *testing.T) {
			runner := &recorder{}
			b := newBench(t, skills.Options{Source: files(converter(t)), Runner: runner})
			got := b.call(tt.tool, tt.arguments)
			exact := !strings.HasSuffix(tt.want, "Exception: ") && !strings.HasSuffix(tt.want, "'.")
			if !got.Failed || !strings.HasPrefix(got.Text, tt.want) || exact && got.Text != tt.want {
				t.Errorf("\ngot  %q (failed %t)\nwant %q", got.Text, got.Failed, tt.want)
			}
			if len(runner.ran) > 0 {
				t.Errorf("a script ran: %v", runner.ran)
			}
		})
	}
}

func TestLongListsAreCut(t *testing.T) {
	var list []*loader.Skill
	for i := range 60 {
		list = append(list, memory(fmt.Sprintf("skill-%02d", i), "x", loader.Contents{}))
	}
	b := newBench(t, skills.Options{Source: loader.Memory(list...)})
	got := b.call("load_skill", `{"skillName":"`+strings.Repeat("é", 5000)+`"}`).Text
	if !strings.Contains(got, "skill-49 and 10 more.") || strings.Contains(got, "skill-50") {
		t.Errorf("the list is not cut: %s", got)
	}
	if n := utf8.RuneCountInString(got); n > 700 || !utf8.ValidString(got) {
		t.Errorf("the answer has %d characters", n)
	}
}

func TestBrokenSkills(t *testing.T) {
	tries := 0
	flaky := &loader.Skill{Name: "flaky", Load: func(context.Context) (loader.Contents, error) {
		tries++
		if tries == 2 { // the first try is the provider's, for scripts
			return loader.Contents{}, &fault.Error{Message: "disk on fire", Hint: "use water"}
		}
		if tries < 2 {
			panic("first")
		}
		return loader.Contents{Text: "It works."}, nil
	}}
	b := newBench(t, skills.Options{Source: loader.Memory(flaky)})
	b.refused("load_skill", `{"skillName":"flaky"}`, "Error: Failed to load skill 'flaky'. disk on fire (use water)")
	b.text("load_skill", `{"skillName":"flaky"}`, "It works.\n\n<available_resources />\n\n<available_scripts />")

	panics := &loader.Skill{Name: "panics", Load: func(context.Context) (loader.Contents, error) { panic("boom") }}
	b = newBench(t, skills.Options{Source: loader.Memory(panics)})
	b.refused("load_skill", `{"skillName":"panics"}`, "Error: Failed to load skill 'panics'. panic: boom")
	b.refused("read_skill_resource", `{"skillName":"panics","resourceName":"r"}`, "Error: Failed to load skill 'panics'. panic: boom")
}
