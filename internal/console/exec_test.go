package console

import (
	"errors"
	"testing"
	"time"

	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/script"
)

// TestOutcome checks the exit codes for what ends a script.
func TestOutcome(t *testing.T) {
	call := &skills.Call{Skill: &loader.Skill{Name: "s"}, Script: loader.Script{Name: "x"}}
	for want, results := range map[int][]script.Result{
		fault.OK:     {{}},
		fault.Failed: {{ExitCode: 7}, {ExitCode: 137, Signal: "SIGKILL"}},
		fault.Limit:  {{TimedOut: true}, {Excess: "more than 256 processes"}, {Excess: "more than 256 processes", Signal: "SIGKILL"}},
	} {
		for _, result := range results {
			code, err := fault.OK, outcome(t.Context(), time.Minute, call, result)
			if got := (*fault.Error)(nil); errors.As(err, &got) {
				code = got.Code
			}
			if code != want || err == nil != (want == fault.OK) {
				t.Errorf("%+v: got %v, want code %d", result, err, want)
			}
		}
	}
}

// TestExecutionFill checks that what ended a script is in separate fields.
func TestExecutionFill(t *testing.T) {
	e := execution{Command: []string{"/bin/sh"}}
	e.fill(script.Result{ExitCode: 137, Signal: "SIGKILL", Excess: "more than 256 processes", Stdout: "x", Sandbox: "landlock", Duration: time.Second})
	if e.Excess != "more than 256 processes" || e.Signal != "SIGKILL" || e.TimedOut || *e.ExitCode != 137 || e.Stdout != "x" || e.Sandbox != "landlock" || e.DurationMS != 1000 {
		t.Errorf("got %+v", e)
	}
}
