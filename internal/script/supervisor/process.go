package supervisor

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// How long ending a command may take, step by step.
const (
	timeoutGrace   = 2 * time.Second        // from asking to killing, at the time limit
	interruptGrace = 500 * time.Millisecond // the same if somebody waits for the exit
	killWait       = 5 * time.Second        // a killed process that hangs in the kernel is given up
	drainWait      = time.Second            // what outlived the command and still holds its output is given up
)

// Outcome is how a command ended.
type Outcome struct {
	Code   int    // as the system has it; 128 plus the number of a signal that ended it; -1: unknown
	Signal string // the signal that ended it, such as "SIGKILL"; "" if it exited
	Limit  string // the limit at which it was ended, in words; "" for none
	Err    error  // it turned out not to have been started
}

// Ending is why a command is no longer running.
type Ending int

// The endings of a command.
const (
	Exited      Ending = iota // by itself
	TimedOut                  // at its time limit
	Interrupted               // because the context was cancelled
)

// Process is a running command.
type Process struct {
	cmd     *exec.Cmd
	group   group
	readers []*os.File
	drained chan struct{} // closed when both streams have ended
	ended   chan struct{} // closed when the command and its group have ended
}

// Start starts a command whose output goes to two writers, which must never
// block for long. An error says why it was not started. The caller keeps its
// goroutine on one thread until the command has ended: without a supervisor the
// kernel ends the command with the thread that started it.
func Start(c Command, stdout, stderr io.Writer) (*Process, error) {
	l, err := prepare(c)
	if err != nil {
		return nil, err
	}
	defer l.discard()
	cmd := l.cmd
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	p := &Process{cmd: cmd, drained: make(chan struct{}), ended: make(chan struct{})}
	// Pipes of our own: those of os/exec would let Wait wait for everybody who
	// still holds the other end.
	outReader, outWriter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errReader, errWriter, err := os.Pipe()
	if err != nil {
		outReader.Close()
		outWriter.Close()
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = outWriter, errWriter
	p.readers = []*os.File{outReader, errReader}

	err = cmd.Start()
	outWriter.Close()
	errWriter.Close()
	if err != nil {
		p.close()
		return nil, err
	}

	var reading sync.WaitGroup
	reading.Go(func() { io.Copy(stdout, outReader) })
	reading.Go(func() { io.Copy(stderr, errReader) })
	go func() {
		reading.Wait()
		close(p.drained)
	}()
	if p.group, err = l.attach(cmd.Process); err != nil {
		cmd.Wait()
		p.drain()
		return nil, err
	}
	go func() {
		p.group.reap(cmd)
		close(p.ended)
	}()
	return p, nil
}

// Wait waits for the command's end and the rest of its output, and ends it at
// the time limit or when the context is cancelled. A limit of 0 or less is none.
func (p *Process) Wait(ctx context.Context, limit time.Duration) (Ending, Outcome) {
	why := p.wait(ctx, limit)
	p.drain()
	return why, p.outcome()
}

func (p *Process) wait(ctx context.Context, limit time.Duration) Ending {
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	why, grace := Exited, time.Duration(0)
	select {
	case <-p.ended:
		return Exited
	case <-expired:
		why, grace = TimedOut, timeoutGrace
	case <-ctx.Done():
		why, grace = Interrupted, interruptGrace
	}
	p.group.terminate()
	if !closedWithin(p.ended, grace) {
		p.group.kill()
		if !closedWithin(p.ended, killWait) {
			p.group.abandon()
		}
	}
	return why
}

// drain waits for the rest of the output. Everybody who could write it has
// ended, except for a process that got away: that one is not waited for.
func (p *Process) drain() {
	if closedWithin(p.drained, drainWait) {
		p.close()
		return
	}
	// Closing may wait for a read that is under way, on some systems.
	go p.close()
}

func (p *Process) close() {
	for _, reader := range p.readers {
		reader.Close()
	}
}

func (p *Process) outcome() Outcome {
	select {
	case <-p.ended:
	default:
		return Outcome{Code: -1} // given up
	}
	if p.cmd.ProcessState == nil {
		return Outcome{Code: -1}
	}
	return p.group.outcome(p.cmd.ProcessState)
}

// closedWithin waits for a channel to be closed, but not longer than d.
func closedWithin(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
