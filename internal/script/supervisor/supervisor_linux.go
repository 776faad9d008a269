package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the process between the runner and one script.
type supervisor struct {
	request request
	mu      sync.Mutex
	script  int           // the process that was started, 0 once it has been collected
	killing bool          // everything is to end
	limit   string        // why, if a limit was exceeded
	status  *statusReader // what bubblewrap reports, nil without it
}

// supervise is what the program does as a supervisor. It reads its request,
// starts the command in a process group of its own, ends it when the runner says
// so or is gone, and ends what it leaves behind.
func supervise(command []string) int {
	// The script inherits none of the other descriptors we were started with.
	closeOnExec(3)
	control, reports := os.NewFile(controlFD, "control"), os.NewFile(reportFD, "reports")
	commands := bufio.NewReader(control)
	var r request
	line, err := commands.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &r) != nil || len(command) == 0 {
		fmt.Fprintln(os.Stderr, "error: "+superviseWord+" is internal: the program starts scripts this way")
		return 2
	}
	// A signal must not end the supervisor before the script.
	// Caught, not ignored: the script would inherit that.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)

	// The thread that starts the script has to stay: the script ends with it.
	runtime.LockOSThread()
	s := &supervisor{request: r}
	if err := s.start(command); err != nil {
		failed := report{Error: err.Error()}
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			failed.Error, failed.Errno = strings.TrimSuffix(failed.Error, ": "+errno.Error()), int(errno)
		}
		send(reports, failed)
		return 1
	}
	send(reports, report{Started: true})
	go s.obey(commands)
	if r.Limits != (Limits{}) {
		go s.watch()
	}
	status := s.wait()
	s.endDescendants()
	send(reports, s.ended(status))
	return 0
}

// ended is the last report.
func (s *supervisor) ended(status syscall.WaitStatus) report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := report{Ended: true, Code: status.ExitStatus(), Limit: s.limit}
	if status.Signaled() {
		r.Code, r.Signal = 0, int(status.Signal())
	}
	if s.status != nil && !s.killing {
		r = s.status.correct(r)
	}
	return r
}

// obey carries out the runner's commands. When the runner is gone, everything
// ends.
func (s *supervisor) obey(commands io.ByteReader) {
	for {
		command, err := commands.ReadByte()
		switch {
		case err != nil:
			s.kill()
			return
		case command == commandTerminate:
			s.terminate()
		case command == commandKill:
			s.kill()
		}
	}
}

// terminate asks the script's process group to end.
func (s *supervisor) terminate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.script == 0:
	case s.status == nil:
		interrupt(-s.script)
	default:
		// bubblewrap itself would end, and take the script with it at once.
		for _, pid := range descendants(s.status.firstProcess()) {
			interrupt(pid)
		}
	}
}

// interrupt asks a process, or the group of a negative number, to end.
func interrupt(pid int) {
	syscall.Kill(pid, syscall.SIGTERM)
	syscall.Kill(pid, syscall.SIGCONT) // what is stopped would not notice
}

// watch ends everything that exceeds a limit which the kernel does not have: of
// all processes together.
func (s *supervisor) watch() {
	for pause := pauseAfter(0); s.running(); {
		time.Sleep(pause)
		began := time.Now()
		found := limitExceeded(os.Getpid(), s.request.Limits)
		pause = pauseAfter(time.Since(began))
		if found == "" {
			continue
		}
		s.mu.Lock()
		s.limit = found
		s.mu.Unlock()
		s.kill()
		return
	}
}

// kill ends everything. Children are born while others are killed, so it goes
// on until the script has ended; [supervisor.endDescendants] does the rest.
func (s *supervisor) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killing {
		return
	}
	s.killing = true
	go func() {
		for s.running() {
			killAll(descendants(os.Getpid()))
			time.Sleep(time.Millisecond)
		}
	}()
}

// running says whether the script has not been collected yet.
func (s *supervisor) running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.script > 0
}

// wait collects the script, and before it whatever else has ended. While a
// dead script is not collected, no other process gets its number.
func (s *supervisor) wait() syscall.WaitStatus {
	for {
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil && err != unix.EINTR {
			return syscall.WaitStatus(1 << 8)
		}
		s.mu.Lock()
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == nil && pid == s.script {
			s.script = 0
			s.mu.Unlock()
			return status
		}
		s.mu.Unlock()
	}
}

// endDescendants ends everything that the script has left behind. It returns
// when nothing is left: whatever loses its parent becomes our child.
func (s *supervisor) endDescendants() {
	for {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.ECHILD {
				return
			}
			if err == nil && pid == 0 {
				break
			}
		}
		killAll(descendants(os.Getpid()))
		time.Sleep(time.Millisecond / 5)
	}
}
