package hostile

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// hostileMemory is the most that a check may take, in KiB.
const hostileMemory = 300 << 10

// peakFile names a variable with the file into which the program writes its
// highest memory use at its end. The system's figure for a child process cannot
// be used: it includes the memory of the test that started it.
const peakFile = "SKILLS_TEST_PEAK"

// notePeak writes the highest memory use of this process, in KiB, on systems that
// report it (Linux).
func notePeak(file string) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	if m := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB`).FindSubmatch(status); m != nil {
		_ = os.WriteFile(file, m[1], 0o600) // without it nothing is compared
	}
}

// checkMemory fails if a run used more than hostileMemory.
func (r ran) checkMemory(t *testing.T) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		peak, err := strconv.Atoi(r.peak)
		if err != nil {
			t.Skip("the system does not report the memory of a process")
		}
		t.Logf("peak: %d MiB", peak>>10)
		if peak > hostileMemory {
			t.Errorf("%d MiB of memory", peak>>10)
		}
	})
}
