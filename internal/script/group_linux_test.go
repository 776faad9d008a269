package script

import (
	"os"
	"os/exec"
	"testing"
)

// TestRunLeftoversOfTheSession checks children that leave the process group but not the
// session.
func TestRunLeftoversOfTheSession(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content string }{
		{"timeout", "timeout 1000 bash -c 'exec 3>\"$1\"; echo up >&3; sleep 1000' x \"$1\" & "},
		{"job control", "set -m; (exec 3>\"$1\"; echo up >&3; sleep 1000) & "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			leftovers(t, test.content)
		})
	}
}

func TestScriptDiesWithUs(t *testing.T) {
	t.Parallel()
	s := skill(t, "a.sh", "exec 3>\"$SCRIPT_TEST_PIPE\"; echo up >&3; exec sleep 1000\n")
	diesWithUs(t, s.Dir, "a.sh")
}

// diesWithUs runs a script in another process, kills that process, and waits
// until the script and its children are gone.
func diesWithUs(t *testing.T, dir, name string) {
	t.Helper()
	path, lines := pipe(t)
	us := exec.Command(os.Args[0])
	us.Env = append(os.Environ(), "SCRIPT_TEST_RUN="+dir, "SCRIPT_TEST_NAME="+name, "SCRIPT_TEST_PIPE="+path)
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := lines.ReadString('\n'); line != "up\n" {
		t.Errorf("the script wrote %q (%v), want that it is up", line, err)
	}
	us.Process.Kill()
	us.Wait()
	allGone(t, lines)
}
