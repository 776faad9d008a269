// Package supervisor starts a command, limits it and ends everything it has
// started. On Linux a process of this program is between the two, which adopts
// what the command leaves behind; elsewhere the command's process group, session
// or job object is ended.
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

// How long ending a command may take, step by step.
const (
	timeoutGrace   = 2 * time.Second        // from SIGTERM to SIGKILL, at the time limit
	interruptGrace = 500 * time.Millisecond // the same if somebody waits for the exit
	killWait       = 5 * time.Second        // then a process that hangs in the kernel is given up
	drainWait      = time.Second            // then whatever still holds the output is given up
)

// Command is a program to start, without a terminal and by default without input.
type Command struct {
	Args  []string  // the absolute path of the program, and its arguments
	Dir   string    // the working folder
	Env   []string  // KEY=VALUE
	Stdin io.Reader // nil: the null device

	// Self is the path of a program that calls [Main] first, normally this one.
	// If it is empty there is no supervisor; outside Linux there is none anyway.
	Self   string
	Setup  sandbox.Setup // what the supervisor sets up for the command
	Limits Limits
}

// Limits are how much of the machine a command and all its descendants get. They
// are enforced on Linux, under a supervisor; the zero value is no limits.
type Limits struct {
	Processes int    // at a time
	Memory    uint64 // bytes of all processes together
	Data      uint64 // bytes of one of them
	File      uint64 // bytes of one file
	Open      uint64 // open files of one process
}

// group is a command and everything that it has started.
type group interface {
	// start starts the command. An error means that nothing of it is left.
	start(*exec.Cmd) error
	terminate() // asks it to end
	kill()
	abandon() // the last resort if kill has not helped
	// reap waits for the command's end, ends what it leaves behind, and collects
	// its status. An error means that the command was not started after all.
	reap(*exec.Cmd) (Outcome, error)
}

// Outcome is how a command ended.
type Outcome struct {
	Code   int    // as the system has it; 128 plus the number of a signal that ended it; -1: unknown
	Signal string // the signal that ended it, such as "SIGKILL"; "" if it exited
	Limit  string // the limit at which it was ended, in words; "" for none

	TimedOut    bool // it was ended at its time limit
	Interrupted bool // it was ended because the context was cancelled
}

// Run runs a command whose output goes to two writers, which must not block. It
// is ended at the time limit, of which 0 or less is none, or when the context is
// cancelled. An error says why it was not started; what it printed is written.
func Run(ctx context.Context, c Command, stdout, stderr io.Writer, limit time.Duration) (Outcome, error) {
	// The kernel ends a process without a supervisor when the thread that started
	// it goes away (Pdeathsig); the runtime never ends a thread that a goroutine
	// holds.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd, group, err := prepare(c)
	if err != nil {
		return Outcome{}, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Stdin, stdout, stderr, drainWait
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
	timedOut, interrupted := false, false
	grace := timeoutGrace
	select {
	case <-ended:
		return outcome, err
	case <-expired:
		timedOut = true
	case <-ctx.Done():
		interrupted, grace = true, interruptGrace
	}
	for _, step := range []struct {
		end  func()
		wait time.Duration
	}{{group.terminate, grace}, {group.kill, killWait}, {group.abandon, drainWait}} {
		step.end()
		select {
		case <-ended:
			outcome.TimedOut, outcome.Interrupted = timedOut, interrupted
			return outcome, err
		case <-time.After(step.wait):
		}
	}
	return Outcome{Code: -1, TimedOut: timedOut, Interrupted: interrupted}, nil // given up
}

// direct prepares a command as a child of this process.
func direct(c Command) (*exec.Cmd, group) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, attributes()
	return cmd, &session{}
}

const superviseWord = "__supervise" // the first argument of a supervisor

// Main must be the first thing that a program does whose path is a [Command]'s
// Self. If the program was started to supervise a script, or to try a sandbox,
// it does that; ok is true then, and code is the exit code.
//
// The supervisor is the process between the runner and the script. What the
// script leaves behind becomes its child and is ended with the script, or when the
// runner ends. It also enters the sandbox for the script.
func Main(args []string) (code int, ok bool) {
	switch {
	case len(args) < 2:
		return 0, false
	case args[1] == superviseWord:
		return supervise(args[2:]), true
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
