package runner

import (
	"testing"
	"time"

	"skills/internal/script"
)

// TestExecutionFill checks that what ended a script is in separate fields.
func TestExecutionFill(t *testing.T) {
	e := execution{Command: []string{"/bin/sh"}}
	e.fill(script.Result{ExitCode: 137, Signal: "SIGKILL", LimitExceeded: "more than 256 processes", Stdout: "x", Sandbox: "landlock", Duration: time.Second})
	if e.LimitExceeded != "more than 256 processes" || e.Signal != "SIGKILL" || e.TimedOut || *e.ExitCode != 137 || e.Stdout != "x" || e.Sandbox != "landlock" || e.DurationMS != 1000 {
		t.Errorf("got %+v", e)
	}
}
