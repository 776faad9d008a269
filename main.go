// Command skills checks, lists and runs Agent Skills.
package main

import (
	"os"
	"runtime/debug"

	"skills/cmd"
)

func main() {
	if code, ok := cmd.Supervise(os.Args); ok {
		os.Exit(code)
	}
	ctx := cmd.SignalContext() // before anything that takes time
	// A run is short and keeps little in memory, so less frequent garbage collection
	// saves time.
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(192 << 20)
	}
	os.Exit(cmd.Run(ctx, cmd.OS(), os.Args[1:]))
}
