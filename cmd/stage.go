package cmd

import "skills/internal/script/supervisor"

// Stage must be called before anything else: where the program was started by
// itself to supervise a script, it does that, and ok is true; code is the exit
// code then.
func Stage(args []string) (code int, ok bool) { return supervisor.Main(args) }
