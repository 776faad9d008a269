// Command skills checks, lists and runs Agent Skills.
package main

import (
	"os"

	"skills/cmd"
)

func main() {
	os.Exit(cmd.Run(cmd.SignalContext(), cmd.OS(), os.Args[1:]))
}
