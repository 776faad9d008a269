//go:build unix

package supervisor

import (
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// session is a command's session and the process group with the same number:
// the command and all descendants that have not left it.
type session struct {
	mu   sync.Mutex
	id   int  // number of the command's process, group and session
	gone bool // the number may be reused
}

func (g *session) start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		g.id = cmd.Process.Pid
	}
	return err
}

func (g *session) terminate() { g.end(func(id int) { interrupt(-id) }) }
func (g *session) kill()      { g.end(killSession) }

func (g *session) end(by func(id int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		by(g.id)
	}
}

// abandon does nothing: a process that survives kill hangs in the kernel.
func (g *session) abandon() {}

func (g *session) drainTime() time.Duration { return drainWait }

func (g *session) reap(cmd *exec.Cmd) (Outcome, error) {
	return collect(cmd, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		killSession(g.id)
		g.gone = true
	}), nil
}

// collect waits until a process has ended, calls f and collects its status. The
// process's number is not reused before that, so f cannot kill another one.
func collect(cmd *exec.Cmd, f func()) Outcome {
	var err error
	collected := !awaitDead(cmd.Process.Pid)
	if collected {
		err = cmd.Wait()
	}
	f()
	if !collected {
		err = cmd.Wait()
	}
	if cmd.ProcessState == nil {
		return Outcome{Code: -1}
	}
	end := outcomeOf(cmd.ProcessState.Sys().(syscall.WaitStatus))
	end.Unread = errors.Is(err, exec.ErrWaitDelay)
	return end
}

// outcomeOf converts a wait status. A signal becomes an exit code as in a
// shell.
func outcomeOf(status syscall.WaitStatus) Outcome {
	if status.Signaled() {
		return signalled(status.Signal())
	}
	return Outcome{Code: status.ExitStatus()}
}

func signalled(signal syscall.Signal) Outcome {
	return Outcome{Code: 128 + int(signal), Signal: unix.SignalName(signal)}
}

// interrupt asks a process, or a group if the number is negative, to end.
func interrupt(pid int) {
	syscall.Kill(pid, syscall.SIGTERM)
	syscall.Kill(pid, syscall.SIGCONT) // a stopped process does not handle signals
}
