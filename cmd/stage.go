package cmd

import "skills/internal/script"

// Stage must be called before anything else: where the program was started by
// itself to supervise a script, it does that, and ok is true; code is the exit
// code then.
func Stage(args []string) (code int, ok bool) { return script.Stage(args) }
