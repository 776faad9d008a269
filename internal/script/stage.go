package script

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
// whatever reason.
func Stage(args []string) (code int, ok bool) {
	if len(args) < 2 || args[1] != stageWord {
		return 0, false
	}
	return supervise(args[2:]), true
}
