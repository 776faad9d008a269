//go:build unix

package skills_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/script"
)

// sourcing is a skill whose script runs code from another file of it.
func sourcing(t *testing.T) (root string, change func(text string)) {
	t.Helper()
	root = tree(t, map[string]string{
		"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/scripts/lib.sh": "word=good\n",
		"a/scripts/run.sh": ". \"$SKILL_DIR/scripts/lib.sh\"\necho $word\n",
	})
	return root, func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "a", "scripts", "lib.sh"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const runSourcing = `{"skillName":"a","scriptName":"scripts/run.sh"}`

// TestApprovalCoversAllFiles checks that an approval is for all files of the skill: a
// change while the prompt is open, and after an answer for the rest of the run, is shown
// and approved again. Without a change nobody is asked twice.
func TestApprovalCoversAllFiles(t *testing.T) {
	work := t.TempDir()
	root, change := sourcing(t)
	runner := &script.Runner{Dir: work, Env: os.Environ(), Sandbox: script.SandboxOff}
	b := newBench(t, skills.Options{Source: files(root), Runner: runner, Scripts: skills.Confinement{Dir: work}})
	var asked []approve.Request
	during := func() {}
	policy := newPolicy(t, b, policyOptions{Unsandboxed: true, Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
		asked = append(asked, r)
		during()
		return approve.Answer{Approved: true, Scope: approve.ScopeProgram}, nil
	}})
	run := func(want string, prompts int, changed ...string) {
		t.Helper()
		asked = nil
		inv := b.invocation("run_skill_script", runSourcing)
		if d, needed, err := policy.Approve(t.Context(), inv); !d.Approved || !needed || err != nil {
			t.Fatalf("got %+v, %v, %v", d, needed, err)
		}
		if got := b.execute(inv).Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if len(asked) != prompts {
			t.Errorf("asked %d times, want %d", len(asked), prompts)
		}
		if n := len(asked); n > 0 && !slices.Equal(asked[n-1].ChangedFiles, changed) {
			t.Errorf("the last prompt shows %q, want %q", asked[n-1].ChangedFiles, changed)
		}
	}
	during = func() {
		during = func() {}
		change("word=other\n")
	}
	run("other", 2, "scripts/lib.sh")
	run("other", 0)
	change("word=third\n")
	run("third", 1, "scripts/lib.sh")
	run("third", 0)
}

// TestApprovalOfRestlessSkill checks that a skill that changes during each prompt is
// denied in the end.
func TestApprovalOfRestlessSkill(t *testing.T) {
	root, change := sourcing(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &script.Runner{Dir: root, Env: os.Environ()}})
	text := "word="
	policy := newPolicy(t, b, policyOptions{Ask: func(context.Context, approve.Request) (approve.Answer, error) {
		text += "x"
		change(text + "\n")
		return approve.Answer{Approved: true}, nil
	}})
	d, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", runSourcing))
	if want := "files of the skill changed while you were asked"; err != nil || d.Approved || d.Reason != want || text != "word=xxx" {
		t.Errorf("got %+v, %v after %q", d, err, text)
	}
}

// TestUnattendedFiles checks that a flag approves the files that were loaded, and names
// what has changed since then.
func TestUnattendedFiles(t *testing.T) {
	const denied = "files of the skill changed after it was loaded and have not been approved: scripts/lib.sh"
	root, change := sourcing(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &script.Runner{Dir: root, Env: os.Environ(), Sandbox: script.SandboxOff}})
	policy := newPolicy(t, b, policyOptions{Mode: approve.Always, Unsandboxed: true})
	b.call("load_skill", `{"skillName":"a"}`)
	decide := func(want string) {
		t.Helper()
		if d, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", runSourcing)); err != nil || d.Approved != (want == "") || !strings.Contains(d.Reason, want) {
			t.Errorf("got %+v, %v, want %q", d, err, want)
		}
	}
	decide("")
	change("word=evil\n")
	decide(denied)
	change("word=good\n")
	decide("")
}

// TestChangedBeforeStart checks that what changes after the decision is not run.
func TestChangedBeforeStart(t *testing.T) {
	root, change := sourcing(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &script.Runner{Dir: root, Env: os.Environ(), Sandbox: script.SandboxOff}})
	policy := newPolicy(t, b, policyOptions{Mode: approve.Always, Unsandboxed: true})
	inv := b.invocation("run_skill_script", runSourcing)
	if d, _, err := policy.Approve(t.Context(), inv); !d.Approved || err != nil {
		t.Fatalf("got %+v, %v", d, err)
	}
	change("word=evil\n")
	if got := b.execute(inv).Text; !strings.Contains(got, "files of the skill have changed since it was approved: scripts/lib.sh") || strings.Contains(got, "evil") {
		t.Errorf("got %q", got)
	}
}

// TestOwnFiles checks that results which a skill's script writes next to its code, where
// it may, do not count as a change.
func TestOwnFiles(t *testing.T) {
	for name, inSkill := range map[string]bool{"the working folder is the skill": true, "without a sandbox": false} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/scripts/run.sh": "echo x >> \"$SKILL_DIR/result\"\necho ran\n"})
			work := t.TempDir()
			if inSkill {
				work = filepath.Join(root, "a")
			}
			b := newBench(t, skills.Options{Source: files(root), Runner: &script.Runner{Dir: work, Env: os.Environ(), Sandbox: script.SandboxOff}, Scripts: skills.Confinement{Dir: work}})
			policy := newPolicy(t, b, policyOptions{Mode: approve.Always, Unsandboxed: true})
			for range 3 {
				inv := b.invocation("run_skill_script", runSourcing)
				if d, _, err := policy.Approve(t.Context(), inv); !d.Approved || err != nil {
					t.Fatalf("got %+v, %v", d, err)
				}
				if got := b.execute(inv).Text; got != "ran" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
}
