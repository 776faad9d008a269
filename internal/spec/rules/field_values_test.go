package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestFieldValues(t *testing.T) {
	const hook = "[{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]"
	for _, tt := range []struct{ fields, want string }{
		{"context: forked", `6:10: "context" has no effect in Claude Code: "forked" is not one of its values`},
		{"context: true", `6:10: "context" has no effect in Claude Code: its value is a boolean`},
		{"context: [a.md]", `6:10: "context" has no effect in Claude Code: its value is a list`},
		{"effort: hihg", `6:9: "effort" has no effect in Claude Code: "hihg" is not one of its values`},
		{"effort: extreme", `6:9: "effort" has no effect in Claude Code: "extreme" is not one of its values`},
		{"shell: zsh", `6:8: "shell" has no effect in Claude Code: "zsh" is not one of its values`},
		{"user-invocable: yes", `6:17: "user-invocable" has no effect in Claude Code: "yes" is not one of its values`},
		{"disable-model-invocation: 1", `6:27: "disable-model-invocation" has no effect in Claude Code: its value is a number`},
		{"model: Claude Sonnet 4.5", `6:8: "model" has no effect in Claude Code: "Claude Sonnet 4.5" is not a model id, which has no spaces`},
		{"model: {name: opus}", `6:8: "model" has no effect in Claude Code: its value is a mapping`},
		{"agent: Explore", `6:1: "agent" has no effect without context: fork`},
		{"background: false", `6:1: "background" has no effect without context: fork`},
		{"paths: {include: a}", `6:8: "paths" has no effect in Claude Code: its value is a mapping`},
		{"command-dispatch: skill", `6:19: "command-dispatch" has no effect in OpenClaw: "skill" is not one of its values`},
		{"triggers: pdf", `6:11: "triggers" has no effect in OpenHands: its value is a string`},
		{"hooks: ./hooks.json", `6:8: "hooks" has no effect in Claude Code: its value is a string`},
		{"hooks: {pre-tool-use: " + hook + "}", `6:9: "pre-tool-use" is not an event of Claude Code`},
		{"hooks: {preToolUse: " + hook + "}", `6:9: "preToolUse" is not an event of Claude Code`},
		{"hooks: {Stop: ./x.sh}", `6:15: hooks of "Stop" are a string, not a list: Claude Code ignores them`},
		{"hooks: {Stop: [{command: ./x.sh}]}", `6:16: a hook of "Stop" has no list "hooks": Claude Code ignores it`},
		{"hooks: {Stop: [{hooks: [{command: ./x.sh}]}]}", `6:25: a hook of "Stop" has no type: Claude Code ignores it`},

		{"context: fork\nagent: Explore\nbackground: false", ""},
		{"context: inline", ""},
		{"context: \"fork\"", ""},
		{"context:", ""},
		{"effort: xhigh", ""},
		{"effort: 80", ""},
		{"shell: powershell", ""},
		{"user-invocable: false", ""},
		{"user-invocable: 'true'", ""},
		{"user-invocable: True", ""},
		{"model: opus", ""},
		{"model: inherit", ""},
		{"model: claude-sonnet-4-5-20250929[1m]", ""},
		{"model: some-provider/model", ""},
		{"argument-hint: [issue-number]", ""},
		{"arguments: [issue, branch]", ""},
		{"arguments: issue branch", ""},
		{"paths: src/**/*.ts, docs/**", ""},
		{"paths: ['src/**']", ""},
		{"disallowed-tools: AskUserQuestion", ""},
		{"command-dispatch: tool\ncommand-tool: exec\ncommand-arg-mode: raw", ""},
		{"triggers: [pdf, text]", ""},
		{"hooks: {PreToolUse: " + hook + ", Stop: [{hooks: [{type: prompt, prompt: x}]}]}", ""},
		{"hooks: {SomeLaterEvent: " + hook + "}", ""},
		{"hooks: {}", ""},
		{"effects: true", ""},
	} {
		d := skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: MIT\ncompatibility: any\n"+tt.fields+"\n---\nText.\n", nil)
		if got := strings.TrimPrefix(strings.Join(findings(d, "field-values"), "\n"), "SKILL.md:"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.fields, got, tt.want)
		}
	}
}

// TestFreeContext checks that a context that is no attempt at fork is advice: its author
// keeps a note there.
func TestFreeContext(t *testing.T) {
	for value, want := range map[string]spec.Level{
		"forked": spec.Warning, "true": spec.Warning, "Fork it": spec.Warning, "subagent": spec.Warning,
		"hermes": spec.Info, "[a.md, b.md]": spec.Info, "The agent lacks a key": spec.Info,
	} {
		d := skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\ncontext: "+value+"\n---\nText.\n", nil)
		for _, x := range Check(d, spec.Options{}) {
			if x.Rule == "field-values" && x.Level == want {
				want = spec.Off
			}
		}
		if want != spec.Off {
			t.Errorf("context: %s is not reported with level %v", value, want)
		}
	}
}
