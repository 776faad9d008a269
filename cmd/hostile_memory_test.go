package cmd

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// hostileMemory is the most that a check may take, in KiB.
const hostileMemory = 300 << 10

// peakFile names a variable with the file into which the program writes its
// highest memory use at its end. The system's account of a child is of no use:
// it begins with the memory of the test that started it.
const peakFile = "SKILLS_TEST_PEAK"

// notePeak writes the highest memory use of this process, in KiB, where the
// system says it (Linux).
func notePeak(file string) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	if m := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB`).FindSubmatch(status); m != nil {
		_ = os.WriteFile(file, m[1], 0o600) // without it nothing is compared
	}
}

// stays fails where a run took more memory than it may.
func (r ran) stays(t *testing.T) {
	t.Helper()
	peak, err := strconv.Atoi(r.peak)
	if err != nil {
		t.Log("NOT TESTED: the system does not say how much memory a process took")
		return
	}
	if t.Logf("peak: %d MiB", peak>>10); peak > hostileMemory {
		t.Errorf("%d MiB of memory", peak>>10)
	}
}
