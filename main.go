// Command skills checks, lists and runs Agent Skills.
package main

import (
	"os"

	"skills/cmd"
)

func main() {
	if code, ok := cmd.Supervise(os.Args); ok {
		os.Exit(code)
	}
	ctx := cmd.SignalContext() // before anything that takes time
	cmd.TuneGC()
	os.Exit(cmd.Run(ctx, cmd.OS(), os.Args[1:]))
}
