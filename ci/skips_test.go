package ci

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// testEvent is a line of the output of go test -json.
type testEvent struct{ Action, Package, Test, Output string }

// runSkips gives ci/skips.py the events of a run and returns what it printed.
func runSkips(t *testing.T, events ...testEvent) (code int, stdout, stderr string) {
	t.Helper()
	var in, out, errs strings.Builder
	for _, e := range events {
		fields := map[string]string{"Action": e.Action, "Package": e.Package}
		if e.Test != "" {
			fields["Test"] = e.Test
		}
		if e.Output != "" {
			fields["Output"] = e.Output
		}
		line, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	c := exec.Command("python3", "skips.py")
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in.String()), &out, &errs
	_ = c.Run() // for any exit code
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestSkips checks which skips fail the CI, and that go test's own lines are printed.
func TestSkips(t *testing.T) {
	const ok = "ok  \tskills/internal/script\t1.0s\n"
	skip := func(test, reason string) []testEvent {
		return []testEvent{
			{"output", "skills/internal/script", test, "=== RUN   " + test + "\n"},
			{"output", "skills/internal/script", test, "    x_test.go:7: " + reason + "\n"},
			{"output", "skills/internal/script", test, "--- SKIP: " + test + " (0.00s)\n"},
			{"skip", "skills/internal/script", test, ""},
			{"output", "skills/internal/script", "", ok},
			{"pass", "skills/internal/script", "", ""},
		}
	}
	for _, test := range []struct{ name, reason, unexpected string }{
		{"TestKindsLimitsMore/files/landlock", "Landlock grants neither folder", ""},
		{"TestKindsLimitsMore/files/bubblewrap", "Landlock grants neither folder", "internal/script TestKindsLimitsMore/files/bubblewrap Landlock grants neither folder"},
		{"TestWork/python", "python3 is not installed", "internal/script TestWork/python python3 is not installed"},
	} {
		code, stdout, stderr := runSkips(t, skip(test.name, test.reason)...)
		if (code == 1) != (test.unexpected != "") || stdout != ok || test.unexpected != "" && !strings.HasPrefix(stderr, "unexpected skip: "+test.unexpected+"\n") {
			t.Errorf("%s: exit code %d\n%s%s", test.name, code, stdout, stderr)
		}
	}

	code, stdout, stderr := runSkips(t,
		testEvent{"output", "skills/cmd", "TestGood", "--- PASS: TestGood\n"}, testEvent{"pass", "skills/cmd", "TestGood", ""},
		testEvent{"output", "skills/cmd", "TestBad", "    x_test.go:7: wrong\n"}, testEvent{"fail", "skills/cmd", "TestBad", ""},
		testEvent{"output", "skills/cmd", "TestStuck", "panic: test timed out\n"},
		testEvent{"output", "skills/cmd", "", "FAIL\tskills/cmd\t1.0s\n"}, testEvent{"fail", "skills/cmd", "", ""})
	if code != 1 || stdout != "    x_test.go:7: wrong\nFAIL\tskills/cmd\t1.0s\npanic: test timed out\n" || stderr != "" {
		t.Errorf("failures: exit code %d\n%s%s", code, stdout, stderr)
	}
}
