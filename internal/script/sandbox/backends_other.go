//go:build !linux

package sandbox

import (
	"os"
	"runtime"
)

// Candidates returns the backends of this system: that of macOS, or none.
func Candidates([]string, []string) (found []Backend, missing []string) {
	if _, err := os.Stat(sandboxExec); err == nil && runtime.GOOS == "darwin" {
		return []Backend{{Name: Seatbelt}}, nil
	}
	return nil, []string{"this system has no supported sandbox"}
}

// Filtered returns false: there is no seccomp filter on this system.
func Filtered() bool { return false }
