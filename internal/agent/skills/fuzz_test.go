package skills_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/testing/filetest"
)

const canary = "CANARY-7f3a"

// FuzzNames checks that no name from a model reads or runs anything outside the skill, or
// an unlisted script inside it.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"references/FAQ.md", "../secret.md", "/etc/passwd", "references/../../secret.md", "%2e%2e/secret.md", "~/.ssh/id_rsa",
		"references/FAQ.md\x00.png", `..\secret.md`, `C:\secret.md`, "file:///etc/passwd", "../a-evil/secret.md", "./././../secret.md",
		".hidden.md", "SKILL.md", "scripts/run.sh", "scripts/../../secret.sh", "link.md", "links/secret.md", "", ".", "..", "scripts",
	} {
		f.Add("a", name)
		f.Add(name, "references/FAQ.md")
	}
	f.Fuzz(func(t *testing.T, skill, name string) {
		root := tree(t, map[string]string{
			"skills/a/SKILL.md":          "---\nname: a\ndescription: x\n---\n",
			"skills/a/references/FAQ.md": "an answer",
			"skills/a/scripts/run.sh":    "echo run",
			"skills/a/.hidden.md":        canary,
			"skills/a-evil/secret.md":    canary,
			"skills/secret.md":           canary,
			"skills/secret.sh":           canary,
			"secret.md":                  canary,
		})
		dir := filepath.Join(root, "skills", "a")
		for link, target := range map[string]string{"link.md": "../secret.md", "links": ".."} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil && runtime.GOOS != "windows" { // links need a privilege there
				t.Fatal(err)
			}
		}
		runner := &recorder{}
		b := newBench(t, skills.Options{Source: files(filepath.Join(root, "skills")), Runner: runner})
		policy := newPolicy(t, b, policyOptions{Mode: approve.Never})
		arguments, err := json.Marshal(map[string]string{"skillName": skill, "resourceName": name})
		if err != nil {
			t.Fatal(err)
		}
		got := b.call("read_skill_resource", string(arguments))
		if strings.Contains(got.Text, canary) || !got.Failed && got.Text != "an answer" && got.Text != "echo run" && !strings.HasPrefix(got.Text, "<available_resources>\n") {
			t.Errorf("%q of %q was read: %q", name, skill, got.Text)
		}
		arguments, err = json.Marshal(map[string]string{"skillName": skill, "scriptName": name})
		if err != nil {
			t.Fatal(err)
		}
		got = b.call("run_skill_script", string(arguments))
		if len(runner.ran) > 0 && !slices.Equal(runner.ran, []string{"a/scripts/run.sh "}) {
			t.Errorf("%q of %q was run: %v", name, skill, runner.ran)
		}
		decision, needed, err := policy.Approve(t.Context(), b.invocation("run_skill_script", string(arguments)))
		if err != nil || decision.Approved || needed != (len(runner.ran) > 0) {
			t.Errorf("%q of %q: %+v, needed %t, %v, but it ran: %t", name, skill, decision, needed, err, len(runner.ran) > 0)
		}
		if loaded, err := skills.Loaded(b.session); err != nil || len(loaded) > 0 {
			t.Errorf("loaded without load_skill: %v, %v", loaded, err)
		}
	})
}

// FuzzApprovalSeesWhatRuns checks that the policy and the tool decode arguments in the
// same way.
func FuzzApprovalSeesWhatRuns(f *testing.F) {
	f.Add(`{"skillName":"a","scriptName":"run.sh"}`)
	f.Add(`{"skill_name":"A","SCRIPT-NAME":".\\run.sh","args":["x"]}`)
	f.Add(`{"skillName":"a","scriptName":"run.sh","scriptName":"other.sh"}`)
	f.Add(`{"skillName":"a","scriptName":"run.sh","arguments":"[\"x\"]"}`)
	f.Add(`"{\"skillName\":\"a\",\"scriptName\":\"run.sh\"}"`)
	f.Add(`{"skillName":"a","scriptName":"run.sh","arguments":{"x":`)
	root, err := os.MkdirTemp("", "skills")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(root) })
	filetest.Write(f, root, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/run.sh": "", "a/other.sh": ""})
	f.Fuzz(func(t *testing.T, arguments string) {
		runner := &recorder{}
		b := newBench(t, skills.Options{Source: files(root), Runner: runner})
		policy := newPolicy(t, b, policyOptions{Ask: no, Allow: []string{"a/run.sh"}})
		inv := b.invocation("run_skill_script", arguments)
		decision, needed, err := policy.Approve(t.Context(), inv)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := perform(t.Context(), &agent.Invocation{Tool: inv.Tool, Arguments: inv.Arguments, Session: b.session, Emit: inv.Emit}); err != nil {
			t.Fatal(err)
		}
		if ran := len(runner.ran) > 0; ran != needed {
			t.Errorf("needed approval: %t, ran: %v", needed, runner.ran)
		}
		if decision.Approved && !strings.HasPrefix(runner.ran[0], "a/run.sh ") {
			t.Errorf("run.sh was approved, what ran is %v", runner.ran)
		}
	})
}
