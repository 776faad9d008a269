package supervisor

import (
	"fmt"
	"os"

	"skills/internal/script/sandbox"
)

const superviseWord = "__supervise" // the first argument of a supervisor

// Main must be the first thing that a program does whose path is a [Command]'s
// Self. If the program was started to supervise a script, or to try a sandbox,
// it does that; ok is true then, and code is the exit code.
//
// The supervisor is the process between the runner and the script. What the
// script leaves behind becomes its child and is ended with the script, or when the
// runner ends. It also enters the sandbox for the script.
func Main(args []string) (code int, ok bool) {
	switch {
	case len(args) < 2:
		return 0, false
	case args[1] == superviseWord:
		return supervise(args[2:]), true
	case args[1] == sandbox.ProbeWord:
		if err := sandbox.Probe(args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1, true
		}
		fmt.Print(sandbox.ProbePassed)
		return 0, true
	}
	return 0, false
}
