package script

import (
	"testing"
)

func TestText(t *testing.T) {
	tests := []struct {
		name   string
		result Result
		want   string
		ok     bool
	}{
		{"output", Result{Stdout: "  42\n\n"}, "  42", true},
		{"nothing", Result{}, "(no output)", true},
		{"blank", Result{Stdout: "\n", Stderr: " \n"}, "(no output)", true},
		{"warnings", Result{Stdout: "42\n", Stderr: "careful\n"}, "42\nStderr:\ncareful", true},
		{"only warnings", Result{Stderr: "careful\n"}, "Stderr:\ncareful", true},
		{"failure", Result{Stdout: "42\n", Stderr: "bad\n", ExitCode: 3}, "42\nStderr:\nbad\nScript exited with code 3", false},
		{"silent failure", Result{ExitCode: 1}, "(no output)\nScript exited with code 1", false},
		{"time-out", Result{Stdout: "4", TimedOut: true, ExitCode: 143, Signal: "SIGTERM", Limit: DefaultTimeout},
			"4\nScript timed out after 60s and was terminated", false},
		{"time-out that exits well", Result{TimedOut: true, Limit: 1500 * 1e6}, "(no output)\nScript timed out after 1.5s and was terminated", false},
		{"interrupted", Result{Interrupted: true, ExitCode: 137, Signal: "SIGKILL"}, "(no output)\nScript was interrupted and terminated", false},
		{"signal", Result{Stdout: "a\n", ExitCode: 137, Signal: "SIGKILL"}, "a\nScript was terminated by signal SIGKILL", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.result.Text(); got != test.want {
				t.Errorf("Text() = %q, want %q", got, test.want)
			}
			if got := test.result.OK(); got != test.ok {
				t.Errorf("OK() = %t, want %t", got, test.ok)
			}
		})
	}
}
