package supervisor

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestPause checks that the next check of the processes comes soon, however long one
// takes.
func TestPause(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: 25 * time.Millisecond, 5 * time.Millisecond: 100 * time.Millisecond, time.Minute: 250 * time.Millisecond,
	} {
		if got := pauseAfter(took); got != want {
			t.Errorf("after a check of %v: got %v, want %v", took, got, want)
		}
	}
}

// TestExcess checks that a process is among the descendants of its parent, with
// its threads and memory, and that limits count them.
func TestExcess(t *testing.T) {
	found := descendants(os.Getppid())
	at := slices.IndexFunc(found, func(p process) bool { return p.pid == os.Getpid() })
	if at < 0 || found[at].threads < 2 || found[at].resident < 1<<20 || found[at].dead || privateMemory(os.Getpid()) < 1<<20 {
		t.Fatalf("got %+v, want this process among them", found)
	}
	for want, l := range map[string]Limits{
		"":                          {Processes: 10_000, Memory: 1 << 50},
		"more than 1 MiB of memory": {Processes: 10_000, Memory: 1 << 20},
	} {
		if got := limitExceeded(os.Getppid(), l, false); got != want {
			t.Errorf("%+v: got %q, want %q", l, got, want)
		}
	}
}

// TestChildren checks that a child is found by its own entry in /proc and by that of
// its parent, whichever is hidden.
func TestChildren(t *testing.T) {
	c := exec.Command("sleep", "1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if !slices.ContainsFunc(processes(), func(p process) bool { return p.pid == c.Process.Pid && p.parent == os.Getpid() }) {
		t.Error("the child is not among the processes")
	}
	if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err != nil {
		t.Skip("the kernel lists no children:", err)
	}
	if !slices.Contains(listedChildren(os.Getpid()), c.Process.Pid) {
		t.Error("the child is not in its parent's list")
	}
	count := 0
	for _, p := range descendants(os.Getpid()) {
		if p.pid == c.Process.Pid {
			count++
		}
	}
	if count != 1 {
		t.Errorf("the child is found %d times", count)
	}
}
