package skills_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/script"
)

// targets is a provider of a skill in a folder, with a runner.
func targets(t *testing.T, contents map[string]string) (*skills.Provider, string) {
	t.Helper()
	contents["tool/SKILL.md"] = "---\nname: tool\ndescription: Does things. Use when testing.\n---\n"
	dir := tree(t, contents)
	p, err := skills.New(skills.Options{
		Source: files(dir),
		Runner: &script.Runner{Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

// TestFind checks which spellings of a script's name the tool accepts.
func TestFind(t *testing.T) {
	p, _ := targets(t, map[string]string{"tool/scripts/a.sh": "echo \"$1\"\n"})
	for _, name := range []string{"scripts/a.sh", "./scripts/a.sh", `scripts\a.sh`, "SCRIPTS/A.SH"} {
		found, err := p.Find(t.Context(), "Tool", name, json.RawMessage(`["x y"]`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := len(found.Command); found.Script.Name != "scripts/a.sh" || n < 2 || found.Command[n-1] != "x y" || !strings.HasSuffix(found.Command[n-2], "a.sh") {
			t.Errorf("%s: got %+v", name, found)
		}
	}
	for name, want := range map[string]error{"a.sh": skills.ErrUnknownScript, "": skills.ErrUnknownScript, "../tool/scripts/a.sh": skills.ErrUnknownScript} {
		_, err := p.Find(t.Context(), "tool", name, nil)
		if !errors.Is(err, want) || !strings.Contains(fault.Hint(err), "Available scripts: scripts/a.sh") {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if _, err := p.Find(t.Context(), "tol", "scripts/a.sh", nil); !errors.Is(err, skills.ErrUnknownSkill) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Find(t.Context(), "tool", "scripts/a.sh", json.RawMessage(`[`)); err == nil {
		t.Errorf("arguments that are none: got %v", err)
	}
}

// TestDecidedIsWhatRuns checks that a script that changed after the decision is not run.
func TestDecidedIsWhatRuns(t *testing.T) {
	p, dir := targets(t, map[string]string{"tool/scripts/a.sh": "echo one\n"})
	policy := policyOptions{Mode: approve.Always, Unsandboxed: true}.policy(t)
	target, err := p.Find(t.Context(), "tool", "scripts/a.sh", nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := policy.Decide(t.Context(), target.Approval())
	if err != nil || !d.Approved {
		t.Fatalf("got %+v, %v", d, err)
	}
	if got, err := target.Execute(t.Context()); err != nil || got.Stdout != "one\n" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool", "scripts", "a.sh"), []byte("echo two\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := target.Execute(t.Context()); !errors.Is(err, script.ErrChanged) {
		t.Errorf("a changed script: got %v", err)
	}
}

// TestTargetFunction checks that a function script gets its arguments as JSON.
func TestTargetFunction(t *testing.T) {
	contents := loader.Contents{Scripts: []loader.Script{{Name: "answer", Call: func(_ context.Context, arguments json.RawMessage) (string, error) {
		return "got " + string(arguments), nil
	}}}}
	p, err := skills.New(skills.Options{Source: loader.Memory(memory("coded", "Is code. Use when testing.", contents))})
	if err != nil {
		t.Fatal(err)
	}
	target, err := p.Find(t.Context(), "coded", "answer", json.RawMessage(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := target.Execute(t.Context()); err != nil || got.Stdout != `got {"a":1}` || target.Command != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}
