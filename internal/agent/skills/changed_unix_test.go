//go:build unix

package skills_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/script"
)

// TestChangedScript holds an approval to the file that was shown: a script
// that changes afterwards does not run, and is asked about anew.
func TestChangedScript(t *testing.T) {
	root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/one.sh": "echo one\n"})
	runner := &script.Runner{Dir: root, Env: os.Environ()}
	b := newBench(t, skills.Options{Source: files(root), Runner: runner})
	asked := 0
	policy := newPolicy(t, b, skills.PolicyOptions{Ask: func(context.Context, skills.Request) (skills.Answer, error) {
		asked++
		return skills.Answer{Approved: true, Remember: true}, nil
	}})
	inv := b.invocation("run_skill_script", `{"skillName":"a","scriptName":"one.sh"}`)
	approve := func() {
		t.Helper()
		if d, needed, err := policy.Approve(t.Context(), inv); !d.Approved || !needed || err != nil {
			t.Fatalf("got %+v, %v, %v", d, needed, err)
		}
	}
	call := func() string {
		t.Helper()
		result, err := inv.Tool.Call(t.Context(), inv)
		if err != nil {
			t.Fatal(err)
		}
		return result.Text
	}
	approve()
	if got := call(); got != "one" {
		t.Errorf("as approved: got %q", got)
	}
	if err := os.WriteFile(filepath.Join(root, "a", "one.sh"), []byte("echo evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call(); !strings.Contains(got, "has changed") || strings.Contains(got, "evil") {
		t.Errorf("changed after the approval: got %q", got)
	}
	approve()
	if asked != 2 {
		t.Errorf("asked %d times, want once for each content", asked)
	}
	if got := call(); got != "evil" {
		t.Errorf("approved anew: got %q", got)
	}
}
