package script

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// How long ending a script may take, step by step.
const (
	timeoutGrace   = 2 * time.Second        // from asking to killing, at the time limit
	interruptGrace = 500 * time.Millisecond // the same where somebody waits for the way out
	killWait       = 5 * time.Second        // a killed process that hangs in the kernel is given up
	drainWait      = time.Second            // what outlived the script and still holds its output is given up
)

// process is a running script.
type process struct {
	cmd            *exec.Cmd
	group          group
	stdout, stderr *capture
	readers        []*os.File
	drained        chan struct{} // closed when both streams have ended
	ended          chan struct{} // closed when the script and its group have ended
}

// start starts a command with captured output. Its standard input is the null
// device, unless the launch says otherwise.
func start(l *launch, outputCap int, filter func(io.Writer) io.WriteCloser) (*process, error) {
	defer l.discard()
	cmd := l.cmd
	p := &process{
		cmd:     cmd,
		stdout:  newCapture(outputCap, filter),
		stderr:  newCapture(outputCap, filter),
		drained: make(chan struct{}),
		ended:   make(chan struct{}),
	}
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
	reading.Go(func() { io.Copy(p.stdout, outReader) })
	reading.Go(func() { io.Copy(p.stderr, errReader) })
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

// ending is why a script is no longer running.
type ending int

const (
	exited ending = iota
	timedOut
	interrupted
)

// supervise waits for the script's end and brings it about where it has to. A
// limit of 0 or less is none.
func (p *process) supervise(ctx context.Context, limit time.Duration) ending {
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	why, grace := exited, time.Duration(0)
	select {
	case <-p.ended:
		return exited
	case <-expired:
		why, grace = timedOut, timeoutGrace
	case <-ctx.Done():
		why, grace = interrupted, interruptGrace
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
// ended, except for a process that got away: it is not waited for.
func (p *process) drain() {
	if closedWithin(p.drained, drainWait) {
		p.close()
		return
	}
	// Closing may wait for a read that is under way, on some systems.
	go p.close()
}

func (p *process) close() {
	for _, reader := range p.readers {
		reader.Close()
	}
}

// outcome is how the script ended.
func (p *process) outcome() outcome {
	select {
	case <-p.ended:
	default:
		return outcome{code: -1} // given up
	}
	if p.cmd.ProcessState == nil {
		return outcome{code: -1}
	}
	return p.group.outcome(p.cmd.ProcessState)
}

// result is what became of it, once it has been drained. An error means that it
// turned out not to have been started.
func (p *process) result(why ending, took, limit time.Duration) (Result, error) {
	r := Result{TimedOut: why == timedOut, Interrupted: why == interrupted, Duration: took, Limit: limit}
	var cutOut, cutErr bool
	r.Stdout, cutOut = p.stdout.finish()
	r.Stderr, cutErr = p.stderr.finish()
	r.Truncated = cutOut || cutErr
	end := p.outcome()
	r.ExitCode, r.Signal, r.Excess = end.code, end.signal, end.excess
	return r, end.err
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
