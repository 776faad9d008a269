// Package supervisor starts a command, limits it and ends all its descendants.
// On Linux a process of this program is the command's parent and adopts
// orphaned descendants; elsewhere the command's process group, session or job
// object is ended.
package supervisor

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"skills/internal/script/sandbox"
)

// Timeouts for the steps of ending a command.
const (
	timeoutGrace   = 2 * time.Second        // from SIGTERM to SIGKILL, at the time limit
	interruptGrace = 500 * time.Millisecond // the same if the user waits for the exit
	killWait       = 5 * time.Second        // before giving up on a process that hangs in the kernel
	drainWait      = time.Second            // before giving up on processes that keep the output open
	readWait       = 10 * time.Second       // the same where none is left, and only reading what is there can take time
)

// Command is a program to start, without a terminal and by default without
// input.
type Command struct {
	Args  []string  // the program's absolute path and its arguments
	Dir   string    // working directory
	Env   []string  // KEY=VALUE
	Stdin io.Reader // nil for the null device

	// Self is the path of a program that calls [Main] first, normally this one.
	// If it is empty, or not on Linux, there is no supervisor.
	Self    string
	Backend sandbox.Backend // the sandbox that the supervisor sets up for the command, if it has to
	Policy  sandbox.Policy  // what the sandbox enforces
	Limits  Limits
}

// Limits are the resource limits of a command and all its descendants. They
// require a supervisor; zero values mean no limit.
type Limits struct {
	Processes int    // number of concurrent processes
	Memory    uint64 // bytes of all processes together
	Data      uint64 // bytes of one process
	File      uint64 // bytes of one file
	Open      uint64 // open files of one process
}

// group is a command and its descendants.
type group interface {
	// start starts the command. On error no process remains.
	start(*exec.Cmd) error
	terminate() // asks it to end
	kill()
	abandon() // last resort if kill had no effect
	// drainTime is how long the output is read after the command's end.
	drainTime() time.Duration
	// reap waits for the command's end, ends its descendants, and returns its
	// outcome. An error means that the command was not started.
	reap(*exec.Cmd) (Outcome, error)
}

// Outcome describes how a command ended.
type Outcome struct {
	Code   int    // 128 plus the number of a signal that ended it; -1 if unknown
	Signal string // the signal that ended it, such as "SIGKILL"; "" if it exited
	Limit  string // the exceeded limit in words, or ""

	TimedOut    bool // ended at its time limit
	Interrupted bool // ended because the context was cancelled
	Unread      bool // the output stayed open after the end and was not read completely
}

// Run runs a command and copies its output to two writers, which must not
// block. It ends the command at the time limit, if that is positive, or when
// the context is cancelled. The error is the reason why the command was not
// started; its output is written nevertheless.
func Run(ctx context.Context, c Command, stdout, stderr io.Writer, limit time.Duration) (Outcome, error) {
	// Without a supervisor, the kernel ends the process when the thread that
	// started it ends (Pdeathsig). The runtime does not end a thread locked by a
	// goroutine.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd, group, err := prepare(c)
	if err != nil {
		return Outcome{}, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Stdin, stdout, stderr, group.drainTime()
	if err := group.start(cmd); err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{Code: -1}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		outcome, err = group.reap(cmd)
	}()
	var expired <-chan time.Time
	if limit > 0 {
		expired = time.After(limit)
	}
	stopped, grace := Outcome{Code: -1}, timeoutGrace
	select {
	case <-ended:
		return outcome, err
	case <-expired:
		stopped.TimedOut = true
	case <-ctx.Done():
		stopped.Interrupted, grace = true, interruptGrace
	}
	for _, step := range []struct {
		end  func()
		wait time.Duration
	}{{group.terminate, grace}, {group.kill, killWait}, {group.abandon, drainWait}} {
		step.end()
		select {
		case <-ended:
			outcome.TimedOut, outcome.Interrupted = stopped.TimedOut, stopped.Interrupted
			return outcome, err
		case <-time.After(step.wait):
		}
	}
	return stopped, nil // given up
}

// direct prepares a command as a child of this process.
func direct(c Command) (*exec.Cmd, group) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, attributes()
	return cmd, &session{}
}

const superviseWord = "__supervise" // first argument of a supervisor

// Main must be called first in a program that is a [Command]'s Self. If the
// program was started to supervise a script, or to probe a sandbox, Main does
// that and returns the exit code, and ok is true. The same goes for what is left to do
// inside of bubblewrap before the script starts.
//
// The supervisor is a process between the runner and the script. Orphaned
// descendants of the script become its children, and end with the script or
// when the runner ends. It also enters the sandbox for the script.
func Main(args []string) (code int, ok bool) {
	switch {
	case len(args) < 2:
		return 0, false
	case args[1] == superviseWord:
		return supervise(args[2:]), true
	case args[1] == sandbox.EnterWord:
		return enter(args[2:]), true
	case args[1] == sandbox.ProbeWord:
		if err := sandbox.Probe(args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1, true
		}
		fmt.Print(sandbox.ProbePassed)
		return 0, true
	}
	return 0, false
}
