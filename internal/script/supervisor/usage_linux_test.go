package supervisor

import (
	"os"
	"testing"
	"time"
)

// However long a check of the processes takes, the next one comes soon.
func TestPause(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: 25 * time.Millisecond, 5 * time.Millisecond: 100 * time.Millisecond, time.Minute: 250 * time.Millisecond,
	} {
		if got := pauseAfter(took); got != want {
			t.Errorf("after a check of %v: got %v, want %v", took, got, want)
		}
	}
}

// Counting the threads of a process with very many of them ends.
func TestCountDescendants(t *testing.T) {
	pids, threads := countDescendants(os.Getppid(), Limits{Processes: 256})
	if threads < len(pids) || len(pids) == 0 {
		t.Errorf("%d threads of %d processes", threads, len(pids))
	}
	if _, threads := countDescendants(os.Getppid(), Limits{Processes: 1}); threads > threadsPerProcess+1 {
		t.Errorf("%d threads counted, want it to stop at %d", threads, threadsPerProcess+1)
	}
}
