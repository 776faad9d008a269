//go:build unix

package script

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a script's session and the process group of the same number: the
// script itself and all its descendants that have not left it.
type group struct {
	mu   sync.Mutex
	id   int  // of the script's process, its group and its session
	gone bool // the number is no longer ours
}

// newGroup is the group of a process that was started with [attributes].
func newGroup(p *os.Process) *group {
	return &group{id: p.Pid}
}

// terminate asks the group to end.
func (g *group) terminate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		syscall.Kill(-g.id, syscall.SIGTERM)
		syscall.Kill(-g.id, syscall.SIGCONT) // what is stopped would not notice
	}
}

// kill ends the group.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		killSession(g.id)
	}
}

// reap waits for the script's end, ends what it leaves behind, and collects its
// status.
func (g *group) reap(cmd *exec.Cmd) {
	// While the dead script is not collected, no other process can be given
	// its number, and so none can be killed in its place.
	if awaitDead(g.id) {
		g.forsake()
		cmd.Wait()
		return
	}
	cmd.Wait()
	g.forsake()
}

// forsake ends the group for the last time.
func (g *group) forsake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	killSession(g.id)
	g.gone = true
}

// signalOf is the number and the name of the signal that ended a process, or 0.
func signalOf(state *os.ProcessState) (number int, name string) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, ""
	}
	return int(status.Signal()), unix.SignalName(status.Signal())
}
