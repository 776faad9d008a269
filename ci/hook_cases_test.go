package ci

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHookCases runs the conformance cases of agent-hooks, where its package is installed.
func TestHookCases(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if out, err := exec.Command(python, "-c", "import agent_hooks.ctk").CombinedOutput(); err != nil {
		t.Skip("agent-hooks-sdk is not installed: pip install agent-hooks-sdk\n" + string(out))
	}
	binary := filepath.Join(t.TempDir(), "skills")
	build := exec.Command("go", "build", "-o", binary, "..")
	build.Stderr = os.Stderr
	err = build.Run()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "hook_cases.py", binary).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("exit code %d\n%s%s", exit.ExitCode(), out, exit.Stderr)
	}
	if !strings.Contains(string(out), "\n23 passed, 0 failed, 52 do not apply\n") {
		t.Errorf("got\n%s", out)
	}
}
