package script

import (
	"context"
	"fmt"
	"strings"
	"time"

	"skills/internal/script/supervisor"
)

// Result is what became of a script that was started.
type Result struct {
	Stdout, Stderr string // clean text, see [printable.Stripper]; beginning and end, see [printable.Excerpt]

	ExitCode    int           // as the system has it; 128 plus the number of a signal that ended the script; -1 unknown
	Signal      string        // the signal that ended it, such as "SIGKILL"; "" if it exited
	TimedOut    bool          // it was ended at its time limit
	Interrupted bool          // it was ended because the context was cancelled
	Truncated   bool          // something is left out of Stdout or Stderr
	Duration    time.Duration // from the start until it had ended
	Limit       time.Duration // its time limit; below 0: none
	Excess      string        // the limit at which it was ended: "more than 256 processes"; "" for none

	Sandbox string   // the sandbox that was in force, "none" for none
	Unseen  []string // paths that a failed script named and that its sandbox does not show
	Command []string // the command line, as [Runner.Command] returns it
}

// execute starts a command and waits for its end. The error says why it was not
// started, together with what it printed.
func (r *Runner) execute(ctx context.Context, c supervisor.Command, limit time.Duration) (Result, error) {
	outputCap := r.OutputCap
	if outputCap <= 0 {
		outputCap = DefaultOutputCap
	}
	stdout, stderr := newCapture(outputCap, r.Filter), newCapture(outputCap, r.Filter)
	began := time.Now()
	end, err := supervisor.Run(ctx, c, stdout, stderr, limit)
	result := Result{
		TimedOut: end.TimedOut, Interrupted: end.Interrupted, Duration: time.Since(began), Limit: limit,
		ExitCode: end.Code, Signal: end.Signal, Excess: end.Limit,
	}
	var cutOut, cutErr bool
	result.Stdout, cutOut = stdout.finish()
	result.Stderr, cutErr = stderr.finish()
	result.Truncated = cutOut || cutErr
	return result, err
}

// OK reports whether the script ran to its end and reported success.
func (r Result) OK() bool {
	return r.ExitCode == 0 && r.Signal == "" && r.Excess == "" && !r.TimedOut && !r.Interrupted
}

// Text is the result for the model: the standard output; the standard error
// below "Stderr:", unless it is empty; and how a script failed, with what its
// sandbox did not show it. If it printed nothing at all, the text says so.
func (r Result) Text() string {
	var parts []string
	if strings.TrimSpace(r.Stdout) != "" {
		parts = append(parts, strings.TrimRight(r.Stdout, "\n"))
	}
	if strings.TrimSpace(r.Stderr) != "" {
		parts = append(parts, "Stderr:\n"+strings.TrimRight(r.Stderr, "\n"))
	}
	if len(parts) == 0 {
		parts = append(parts, "(no output)")
	}
	switch {
	case r.TimedOut:
		parts = append(parts, fmt.Sprintf("Script timed out after %gs and was ended", r.Limit.Seconds()))
	case r.Excess != "":
		parts = append(parts, "Script had "+r.Excess+" and was ended")
	case r.Interrupted:
		parts = append(parts, "Script was interrupted and ended")
	case r.Signal != "":
		parts = append(parts, "Script was ended by signal "+r.Signal)
	case r.ExitCode != 0:
		parts = append(parts, fmt.Sprintf("Script exited with code %d", r.ExitCode))
	}
	if len(r.Unseen) > 0 {
		parts = append(parts, "The sandbox does not show: "+strings.Join(r.Unseen, ", "))
	}
	return strings.Join(parts, "\n")
}
