package supervisor

// The runner's side of a supervisor. The runner sends one request and gets two
// reports: that the command runs, or why it does not, and how it ended. Closing the
// control pipe kills everything, which also happens if the runner itself ends. A
// supervisor that a script has killed, or that is too slow, leaves its session to
// be killed from here.

import (
	"cmp"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"skills/internal/script/sandbox"
)

// setupTime is how long a supervisor may take to start a command.
const setupTime = 30 * time.Second

// File descriptors passed to a supervisor, in addition to the command's
// streams. Both carry values encoded by gob, because paths may not be valid text.
const (
	controlFD = 3 // a request; closing it kills everything, also when the runner ends
	reportFD  = 4 // a report when the command runs or failed to start, and one at its end
)

// terminateSignal makes a supervisor ask the command to end.
const terminateSignal = syscall.SIGUSR1

// request holds the supervisor's input other than arguments and environment.
type request struct {
	Backend     string
	Descriptors bool
	Policy      sandbox.Policy
	Limits      Limits
}

type report struct {
	Error    string   // why the command was not started
	Replaced bool     // Error is a [sandbox.ReplacedError]
	Ended    *Outcome // nil while it runs
}

// failed returns the report of why the command was not started.
func failed(err error) report {
	_, replaced := errors.AsType[sandbox.ReplacedError](err)
	return report{Error: err.Error(), Replaced: replaced}
}

// err returns why the command was not started.
func (r report) err() error {
	if r.Replaced {
		return sandbox.ReplacedError(r.Error)
	}
	return errors.New(r.Error)
}

// supervised is a command under a supervisor, in whose session it starts.
type supervised struct {
	request request
	process *os.Process // the supervisor
	control *os.File
	reports *os.File
	closed  chan struct{} // closed after the last report
	last    report        // valid once closed is closed
}

// prepare prepares a command, under a supervisor if it names one. The
// supervisor gets the command's environment, without our keys.
func prepare(c Command) (*exec.Cmd, group, error) {
	if c.Self == "" {
		cmd, g := direct(c)
		return cmd, g, nil
	}
	controlReader, controlWriter, err := os.Pipe()
	reportReader, reportWriter, failed := os.Pipe()
	err = cmp.Or(err, failed)
	if err != nil {
		return nil, nil, err // the runtime closes unused pipes
	}
	cmd := exec.Command(c.Self, append([]string{superviseWord}, c.Args...)...)
	cmd.Args[0] = "skills"
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.ExtraFiles = []*os.File{controlReader, reportWriter}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, &supervised{
		request: request{Backend: c.Backend.Name, Descriptors: c.Backend.Descriptors, Policy: c.Policy, Limits: c.Limits},
		control: controlWriter, reports: reportReader, closed: make(chan struct{}),
	}, nil
}

// start starts the supervisor and waits until the command runs.
func (s *supervised) start(cmd *exec.Cmd) error {
	err := cmd.Start()
	for _, file := range cmd.ExtraFiles { // so that the end of the supervisor is detected
		file.Close()
	}
	if err != nil {
		s.close()
		return err
	}
	s.process = cmd.Process
	s.reports.SetReadDeadline(time.Now().Add(setupTime))
	reports := gob.NewDecoder(s.reports)
	var first report
	err = gob.NewEncoder(s.control).Encode(s.request)
	if err == nil {
		err = reports.Decode(&first)
	}
	if errors.Is(err, io.EOF) {
		err = nil // the command may have killed the supervisor before its report
	} else if first.Error != "" {
		err = first.err()
	}
	if err != nil {
		s.process.Kill()
		s.close()
		cmd.Wait()
		return err
	}
	s.reports.SetReadDeadline(time.Time{})
	go func() {
		defer close(s.closed)
		var last report
		if reports.Decode(&last) == nil {
			s.last = last
		}
	}()
	return nil
}

func (s *supervised) close() {
	s.control.Close()
	s.reports.Close()
}

func (s *supervised) terminate() { s.process.Signal(terminateSignal) }
func (s *supervised) kill()      { s.control.Close() }

// abandon kills a supervisor that is too slow, and the processes that can be
// found without it.
func (s *supervised) abandon() {
	s.process.Kill()
	killSession(s.process.Pid)
}

// drainTime is long, because no process that could keep the output open is left.
func (s *supervised) drainTime() time.Duration { return readWait }

func (s *supervised) reap(cmd *exec.Cmd) (Outcome, error) {
	defer s.close()
	end := collect(cmd, func() {
		<-s.closed
		if s.last == (report{}) { // the supervisor was killed
			killSession(s.process.Pid)
		}
	})
	switch {
	case s.last.Ended != nil:
		s.last.Ended.Unread = end.Unread
		return *s.last.Ended, nil
	case s.last.Error != "":
		return end, s.last.err()
	case end.Signal == "":
		return end, errors.New("the supervisor ended without a report")
	}
	return end, nil
}
