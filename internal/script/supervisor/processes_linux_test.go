package supervisor

import (
	"os"
	"slices"
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

// A process is among the descendants of its parent, with its threads and memory;
// limits count them.
func TestLimitExceeded(t *testing.T) {
	found := descendants(os.Getppid())
	at := slices.IndexFunc(found, func(p process) bool { return p.pid == os.Getpid() })
	if at < 0 || found[at].threads < 2 || found[at].resident < 1<<20 || found[at].dead || privateMemory(os.Getpid()) < 1<<20 {
		t.Fatalf("got %+v, want this process among them", found)
	}
	for want, l := range map[string]Limits{
		"":                          {Processes: 10_000, Memory: 1 << 50},
		"more than 1 MiB of memory": {Memory: 1 << 20},
	} {
		if got := limitExceeded(os.Getppid(), l); got != want {
			t.Errorf("%+v: got %q, want %q", l, got, want)
		}
	}
}
