package script

import (
	"fmt"
	"os"
)

// stageWord is the first argument that makes our program a supervisor of one
// script, see [Stage].
const stageWord = "__supervise"

// Stage must be the first thing that a program does whose path is a runner's
// [Runner.Self]: where the program was started to supervise a script, it does
// that, and ok is true; code is the exit code then.
//
// The supervisor stands between the runner and the script. What the script
// leaves behind becomes the supervisor's child, whatever session it has moved
// to, and is ended with the script, or when the runner's process ends for
// whatever reason. It also puts up the fence around the script, and a fence is
// tried by the same program.
func Stage(args []string) (code int, ok bool) {
	switch {
	case len(args) < 2:
		return 0, false
	case args[1] == stageWord:
		return supervise(args[2:]), true
	case args[1] == probeWord:
		if err := probe(args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1, true
		}
		fmt.Print(probePassed)
		return 0, true
	}
	return 0, false
}

// selfPath is the path of our own program as others can find it.
func selfPath(self string) (string, error) {
	if self == "/proc/self/exe" {
		return os.Executable()
	}
	return self, nil
}
