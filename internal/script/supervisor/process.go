// Package supervisor starts a command, limits it and ends everything it has
// started. On Linux a process of this program is between the two, which adopts
// what the command leaves behind; elsewhere the command's process group, session
// or job object is ended.
package supervisor

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
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

// Command is a program to start. It has no terminal and, unless Stdin is set, an
// empty standard input.
type Command struct {
	Args  []string // the absolute path of the program, and its arguments
	Dir   string   // the working folder
	Env   []string // KEY=VALUE
	Stdin *os.File // nil: the null device

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
	// attach is called with the started process, or with nil if it could not be
	// started. An error means that the command was not started after all.
	attach(*os.Process) error
	terminate() // asks it to end
	kill()
	// reap waits for the command's end, ends what it leaves behind, and collects
	// its status.
	reap(*exec.Cmd)
	abandon() // the last resort if kill has not helped
	// outcome is how it ended, once reap has returned.
	outcome(*os.ProcessState) Outcome
}

// Outcome is how a command ended.
type Outcome struct {
	Code   int    // as the system has it; 128 plus the number of a signal that ended it; -1: unknown
	Signal string // the signal that ended it, such as "SIGKILL"; "" if it exited
	Limit  string // the limit at which it was ended, in words; "" for none
	Err    error  `json:"-"` // it turned out not to have been started

	TimedOut    bool // it was ended at its time limit
	Interrupted bool // it was ended because the context was cancelled
}

// Process is a running command.
type Process struct {
	cmd     *exec.Cmd
	group   group
	readers []*os.File
	drained chan struct{} // closed when both streams have ended
	ended   chan struct{} // closed when the command and its group have ended
}

// Start starts a command whose output goes to two writers, which must not block.
// An error says why it was not started. The caller keeps its goroutine on one
// thread until the command has ended: the kernel may end both together.
func Start(c Command, stdout, stderr io.Writer) (*Process, error) {
	cmd, group, err := prepare(c)
	if err != nil {
		return nil, err
	}
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	p := &Process{cmd: cmd, group: group, drained: make(chan struct{}), ended: make(chan struct{})}
	// Pipes of our own: with those of os/exec, Wait waits for everybody who still
	// holds the other end.
	var writers []*os.File
	for range 2 {
		var reader, writer *os.File
		if reader, writer, err = os.Pipe(); err != nil {
			break
		}
		p.readers, writers = append(p.readers, reader), append(writers, writer)
	}
	if err == nil {
		cmd.Stdout, cmd.Stderr = writers[0], writers[1]
		err = cmd.Start()
	}
	for _, writer := range writers {
		writer.Close()
	}
	if err != nil {
		group.attach(nil)
		p.close()
		return nil, err
	}
	var reading sync.WaitGroup
	for i, to := range []io.Writer{stdout, stderr} {
		reading.Go(func() { io.Copy(to, p.readers[i]) })
	}
	go func() {
		reading.Wait()
		close(p.drained)
	}()
	if err := group.attach(cmd.Process); err != nil {
		cmd.Wait()
		p.drain()
		return nil, err
	}
	go func() {
		group.reap(cmd)
		close(p.ended)
	}()
	return p, nil
}

// direct starts a command as a child of this process.
func direct(c Command) (*exec.Cmd, group) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, attributes()
	return cmd, &session{}
}

// Wait waits for the command's end and the rest of its output, and ends it at
// the time limit or when the context is cancelled. A limit of 0 or less is none.
func (p *Process) Wait(ctx context.Context, limit time.Duration) Outcome {
	var expired <-chan time.Time
	if limit > 0 {
		expired = time.After(limit)
	}
	timedOut, interrupted := false, false
	select {
	case <-p.ended:
	case <-expired:
		timedOut = true
		p.end(timeoutGrace)
	case <-ctx.Done():
		interrupted = true
		p.end(interruptGrace)
	}
	p.drain()
	outcome := Outcome{Code: -1}
	select {
	case <-p.ended:
		if p.cmd.ProcessState != nil {
			outcome = p.group.outcome(p.cmd.ProcessState)
		}
	default: // given up
	}
	outcome.TimedOut, outcome.Interrupted = timedOut, interrupted
	return outcome
}

// end ends the command, step by step.
func (p *Process) end(grace time.Duration) {
	p.group.terminate()
	if !closedWithin(p.ended, grace) {
		p.group.kill()
		if !closedWithin(p.ended, killWait) {
			p.group.abandon()
		}
	}
}

// drain waits for the rest of the output. Everybody who could write it has
// ended, except for a process that got away: that one is not waited for.
func (p *Process) drain() {
	if closedWithin(p.drained, drainWait) {
		p.close()
		return
	}
	go p.close() // which may wait for a read that is under way, on some systems
}

func (p *Process) close() {
	for _, reader := range p.readers {
		reader.Close()
	}
}

// closedWithin waits for a channel to be closed, but not longer than d.
func closedWithin(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}
