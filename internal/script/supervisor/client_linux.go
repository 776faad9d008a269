package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// setupTime is the longest that a supervisor may take to start a script.
const setupTime = 30 * time.Second

// prepare launches a command under a supervisor if it names one.
func prepare(c Command) (*launch, error) {
	if c.Self == "" {
		return direct(c), nil
	}
	controlReader, controlWriter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	reportReader, reportWriter, err := os.Pipe()
	if err != nil {
		controlReader.Close()
		controlWriter.Close()
		return nil, err
	}
	// The supervisor has nothing but the script's environment: no key of ours
	// is in it.
	cmd := exec.Command(c.Self, append([]string{superviseWord}, c.Args...)...)
	cmd.Args[0] = "skills"
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.ExtraFiles = []*os.File{controlReader, reportWriter} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	s := &supervised{control: controlWriter, reports: reportReader, theirs: cmd.ExtraFiles, closed: make(chan struct{})}
	return &launch{
		cmd:    cmd,
		attach: func(process *os.Process) (group, error) { return s.attach(process, request{c.Setup, c.Limits}) },
		discard: func() {
			s.closeTheirs()
			if s.process == nil { // not started
				controlWriter.Close()
				reportReader.Close()
			}
		},
	}, nil
}

// supervised is a script that runs under a supervisor. The script stays in the
// supervisor's session unless it leaves it, so its session's number is known
// before it runs.
type supervised struct {
	process *os.Process // the supervisor
	control *os.File
	reports *os.File
	theirs  []*os.File    // the other ends, as long as they are open here
	closed  chan struct{} // closed when there are no more reports
	last    report        // valid once closed is
}

// closeTheirs closes the supervisor's ends of the pipes in this process, so that
// its end is noticed.
func (s *supervised) closeTheirs() {
	for _, file := range s.theirs {
		file.Close()
	}
	s.theirs = nil
}

// attach sends the supervisor its request and waits until the script runs.
func (s *supervised) attach(process *os.Process, r request) (group, error) {
	s.process = process
	s.closeTheirs()
	s.reports.SetReadDeadline(time.Now().Add(setupTime))
	lines := bufio.NewReader(s.reports)
	err := send(s.control, r)
	var first report
	if err == nil {
		first, err = next(lines)
	}
	switch {
	case errors.Is(err, io.EOF):
		err = nil // the script may have killed the supervisor before it could report
	case err == nil:
		err = first.err()
	}
	if err != nil {
		process.Kill()
		s.control.Close()
		s.reports.Close()
		return nil, err
	}
	s.reports.SetReadDeadline(time.Time{})
	go func() {
		defer close(s.closed)
		if last, err := next(lines); err == nil {
			s.last = last
		}
	}()
	return s, nil
}

// next reads one report.
func next(lines *bufio.Reader) (r report, err error) {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(line, &r)
}

func (s *supervised) terminate() { s.control.Write([]byte{commandTerminate}) }
func (s *supervised) kill()      { s.control.Write([]byte{commandKill}) }

// abandon ends the supervisor, which has not managed to end the script in time,
// and what can be found without it.
func (s *supervised) abandon() {
	s.process.Kill()
	killSession(s.process.Pid)
}

func (s *supervised) reap(cmd *exec.Cmd) {
	// While the dead supervisor is not collected, no other process can get its
	// number, which is that of the session.
	collected := !awaitDead(s.process.Pid)
	if collected {
		cmd.Wait()
	}
	<-s.closed
	if s.last == (report{}) { // somebody has killed the supervisor
		killSession(s.process.Pid)
	}
	if !collected {
		cmd.Wait()
	}
	s.control.Close()
	s.reports.Close()
}

func (s *supervised) outcome(state *os.ProcessState) Outcome {
	switch {
	case s.last.Ended:
		return s.last.outcome()
	case s.last.err() != nil:
		return Outcome{Err: s.last.err()}
	}
	end := status(state)
	if end.Signal == "" {
		end.Err = errors.New("the supervisor ended without a report")
	}
	return end
}
