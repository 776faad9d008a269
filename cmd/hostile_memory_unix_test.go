//go:build unix

package cmd

import (
	"runtime"
	"syscall"
	"testing"
)

// hostileMemory is the most that a check may take, in bytes.
const hostileMemory = 300 << 20

// stays fails where a run took more memory than it may.
func (r ran) stays(t *testing.T) {
	t.Helper()
	peak := r.state.SysUsage().(*syscall.Rusage).Maxrss << 10
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		peak >>= 10 // it counts bytes, the others KiB
	}
	t.Logf("peak: %d MiB", peak>>20)
	if peak > hostileMemory {
		t.Errorf("%d MiB of memory", peak>>20)
	}
}
