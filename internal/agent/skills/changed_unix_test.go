//go:build unix

package skills_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/script"
)

// TestChangedScript checks that an approval is only valid for the file that was
// shown: a script that changes afterwards does not run, and needs a new approval.
func TestChangedScript(t *testing.T) {
	root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/one.sh": "echo one\n"})
	runner := &script.Runner{Dir: root, Env: os.Environ()}
	b := newBench(t, skills.Options{Source: files(root), Runner: runner})
	asked := 0
	policy := newPolicy(t, b, policyOptions{Ask: func(context.Context, approve.Request) (approve.Answer, error) {
		asked++
		return approve.Answer{Approved: true, Scope: approve.ScopeProgram}, nil
	}})
	var inv *agent.Invocation
	approve := func() {
		t.Helper()
		inv = b.invocation("run_skill_script", `{"skillName":"a","scriptName":"one.sh"}`)
		if d, needed, err := policy.Approve(t.Context(), inv); !d.Approved || !needed || err != nil {
			t.Fatalf("got %+v, %v, %v", d, needed, err)
		}
	}
	approve()
	if got := b.execute(inv).Text; got != "one" {
		t.Errorf("as approved: got %q", got)
	}
	if err := os.WriteFile(filepath.Join(root, "a", "one.sh"), []byte("echo evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := b.execute(inv).Text; !strings.Contains(got, "has changed") || strings.Contains(got, "evil") {
		t.Errorf("changed after the approval: got %q", got)
	}
	approve()
	if asked != 2 {
		t.Errorf("asked %d times, want once for each content", asked)
	}
	if got := b.execute(inv).Text; got != "evil" {
		t.Errorf("approved again: got %q", got)
	}
}

// TestChangedSinceListed verifies that only the listed content of a file runs without
// approval; the user sees a change, and decides.
func TestChangedSinceListed(t *testing.T) {
	for name, tt := range map[string]struct {
		opt    policyOptions
		denied string
	}{
		"allowed by pattern": {policyOptions{Allow: []string{"a/*"}, Unsandboxed: true}, "changed after it was loaded"},
		"always":             {policyOptions{Mode: approve.Always, Unsandboxed: true}, "changed after it was loaded"},
		"asked": {policyOptions{Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
			return approve.Answer{Approved: r.Changed}, nil
		}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/one.sh": "echo one\n"})
			b := newBench(t, skills.Options{Source: files(root), Runner: &script.Runner{Dir: root, Env: os.Environ(), Sandbox: script.SandboxOff}})
			policy := newPolicy(t, b, tt.opt)
			b.call("load_skill", `{"skillName":"a"}`)
			if err := os.WriteFile(filepath.Join(root, "a", "one.sh"), []byte("echo evil\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			inv := b.invocation("run_skill_script", `{"skillName":"a","scriptName":"one.sh"}`)
			d, needed, err := policy.Approve(t.Context(), inv)
			if err != nil || needed && d.Approved != (tt.denied == "") || !strings.Contains(d.Reason, tt.denied) {
				t.Fatalf("got %+v, %t, %v, want %q", d, needed, err, tt.denied)
			}
			if needed && !d.Approved {
				return
			}
			if got := b.execute(inv).Text; !strings.Contains(got, "evil") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestFolderSwapped rejects a skill whose folder was replaced, although the script in
// it is the same: the files next to it may differ.
func TestFolderSwapped(t *testing.T) {
	root := tree(t, map[string]string{
		"s/a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "s/a/one.sh": "cat \"$SKILL_DIR/data\"\n", "s/a/data": "good\n",
		"other/SKILL.md": "x", "other/one.sh": "cat \"$SKILL_DIR/data\"\n", "other/data": "evil\n",
	})
	b := newBench(t, skills.Options{Source: files(filepath.Join(root, "s")), Runner: &script.Runner{Dir: root, Env: os.Environ(), Sandbox: script.SandboxOff}})
	inv := b.invocation("run_skill_script", `{"skillName":"a","scriptName":"one.sh"}`)
	if got := b.execute(inv).Text; got != "good" {
		t.Errorf("as listed: got %q", got)
	}
	for _, swap := range [][2]string{{"s/a", "old"}, {"other", "s/a"}} {
		if err := os.Rename(filepath.Join(root, swap[0]), filepath.Join(root, swap[1])); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.execute(inv).Text; !strings.Contains(got, "folder was replaced") || strings.Contains(got, "evil") {
		t.Errorf("swapped: got %q", got)
	}
}
