//go:build !linux

package sandbox

import (
	"os"
	"runtime"
)

// Candidates are the backends of this system: that of macOS, or none.
func Candidates([]string, []string) (found []Backend, missing []string) {
	if _, err := os.Stat(sandboxExec); err == nil && runtime.GOOS == "darwin" {
		return []Backend{{Name: Seatbelt}}, nil
	}
	return nil, []string{"this system has no supported sandbox"}
}

// Filtered reports whether there is a filter of system calls: not here.
func Filtered() bool { return false }
