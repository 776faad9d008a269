//go:build unix

package supervisor

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// session is a script's session and the process group of the same number: the
// script itself and all its descendants that have not left it.
type session struct {
	mu   sync.Mutex
	id   int  // of the script's process, its group and its session
	gone bool // the number is no longer ours
}

// newSession is the session of a process that was started with [attributes].
func newSession(p *os.Process) *session {
	return &session{id: p.Pid}
}

// terminate asks the group to end.
func (g *session) terminate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		syscall.Kill(-g.id, syscall.SIGTERM)
		syscall.Kill(-g.id, syscall.SIGCONT) // what is stopped would not notice
	}
}

// kill ends the group.
func (g *session) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		killSession(g.id)
	}
}

// reap waits for the script's end, ends what it leaves behind, and collects its
// status.
func (g *session) reap(cmd *exec.Cmd) {
	// While the dead script is not collected, no other process can be given
	// its number, and so none can be killed in its place.
	if awaitDead(g.id) {
		g.finish()
		cmd.Wait()
		return
	}
	cmd.Wait()
	g.finish()
}

// finish ends the group for the last time.
func (g *session) finish() {
	g.mu.Lock()
	defer g.mu.Unlock()
	killSession(g.id)
	g.gone = true
}

// abandon does nothing more: a process that kill does not end hangs in the
// kernel.
func (g *session) abandon() {}

func (g *session) outcome(state *os.ProcessState) Outcome { return status(state) }

// status is how a process ended. A signal becomes an exit code as in a shell.
func status(state *os.ProcessState) Outcome {
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return Outcome{Code: 128 + int(s.Signal()), Signal: unix.SignalName(s.Signal())}
	}
	return Outcome{Code: state.ExitCode()}
}
