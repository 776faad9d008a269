package script

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Result is what became of a script that was started.
type Result struct {
	// Stdout and Stderr are clean text: valid UTF-8 without escape sequences
	// and control characters but newline and tab. Of a stream longer than the
	// cap they hold the beginning and the end, with a line between them that
	// says how much is left out.
	Stdout, Stderr string

	ExitCode    int           // as the system has it; 128 plus the number where a signal ended the script; -1 unknown
	Signal      string        // the signal that ended it, for example "SIGKILL"; empty where it exited
	TimedOut    bool          // it was ended at its time limit
	Interrupted bool          // it was ended because the context was cancelled
	Truncated   bool          // something is left out of Stdout or Stderr
	Duration    time.Duration // from the start until it had ended
	Limit       time.Duration // its time limit; below 0: none
	Excess      string        // the limit at which it was ended: "more than 256 processes"; empty where it was not

	Sandbox string   // the sandbox that was in force, "none" for none
	Unseen  []string // paths that a failed script named and that its sandbox does not show
	Command []string // the command line, as [Runner.Command] returns it
}

// OK says whether the script ran to its end and reported success.
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
	if end := r.ending(); end != "" {
		parts = append(parts, end)
	}
	if len(r.Unseen) > 0 {
		parts = append(parts, "The sandbox does not show: "+strings.Join(r.Unseen, ", "))
	}
	return strings.Join(parts, "\n")
}

// ending says how a script failed, or nothing.
func (r Result) ending() string {
	switch {
	case r.TimedOut:
		return "Script timed out after " + seconds(r.Limit) + " and was ended"
	case r.Excess != "":
		return "Script had " + r.Excess + " and was ended"
	case r.Interrupted:
		return "Script was interrupted and ended"
	case r.Signal != "":
		return "Script was ended by signal " + r.Signal
	case r.ExitCode != 0:
		return fmt.Sprintf("Script exited with code %d", r.ExitCode)
	}
	return ""
}

// seconds writes a time limit: 60s rather than 1m0s.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return d.String()
}
