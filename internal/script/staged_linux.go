package script

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// setupTime is the longest that a supervisor may take to start a script.
const setupTime = 30 * time.Second

// supervised starts a command under a supervisor: our own program self once
// more, see [Stage].
func supervised(self string, command []string, dir string, env []string, o order) (*launch, error) {
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
	cmd := exec.Command(self, append([]string{stageWord}, command...)...)
	cmd.Args[0] = "skills"
	cmd.Dir, cmd.Env = dir, env
	cmd.ExtraFiles = []*os.File{controlReader, reportWriter} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	s := &staged{control: controlWriter, reports: reportReader, theirs: cmd.ExtraFiles, closed: make(chan struct{})}
	return &launch{
		cmd:    cmd,
		attach: func(process *os.Process) (group, error) { return s.attach(process, o) },
		discard: func() {
			s.letGo()
			if s.process == nil { // not started
				controlWriter.Close()
				reportReader.Close()
			}
		},
	}, nil
}

// staged is a script that runs under a supervisor.
type staged struct {
	process *os.Process // the supervisor
	control *os.File
	reports *os.File
	theirs  []*os.File    // the other ends, as long as they are open here
	script  int           // the script's process, 0 where it was never told
	closed  chan struct{} // closed when there are no more reports
	last    report        // valid once closed is
}

// letGo closes the supervisor's ends of the pipes here, so that its end is seen.
func (s *staged) letGo() {
	for _, file := range s.theirs {
		file.Close()
	}
	s.theirs = nil
}

// attach gives the supervisor its order and waits until the script runs.
func (s *staged) attach(process *os.Process, o order) (group, error) {
	s.process = process
	s.letGo()
	s.reports.SetReadDeadline(time.Now().Add(setupTime))
	lines := bufio.NewReader(s.reports)
	err := send(s.control, o)
	var said report
	if err == nil {
		said, err = next(lines)
	}
	if err != nil || !said.Begun {
		err = cmp.Or(said.err(), errors.New("the supervisor ended without a word"))
	} else if said, err = next(lines); err == nil {
		err = said.err()
	} else {
		err = nil // a script that has begun may kill the supervisor before the next word
	}
	if err != nil {
		process.Kill()
		s.control.Close()
		s.reports.Close()
		return nil, err
	}
	s.reports.SetReadDeadline(time.Time{})
	s.script = said.Started
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

func (s *staged) terminate() { s.control.Write([]byte{wishTerminate}) }
func (s *staged) kill()      { s.control.Write([]byte{wishKill}) }

// abandon ends the supervisor, which has not managed to end the script in time,
// and what can be found without it.
func (s *staged) abandon() {
	s.process.Kill()
	if s.script > 0 {
		killSession(s.script)
	}
}

func (s *staged) reap(cmd *exec.Cmd) {
	cmd.Wait()
	<-s.closed
	if s.last == (report{}) && s.script > 0 { // somebody has killed the supervisor
		killSession(s.script)
	}
	s.control.Close()
	s.reports.Close()
}

func (s *staged) outcome(state *os.ProcessState) outcome {
	switch {
	case s.last.Ended:
		return s.last.outcome()
	case s.last.err() != nil:
		return outcome{err: s.last.err()}
	}
	return status(state)
}
