package script

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
	order   order
	mu      sync.Mutex
	script  int        // the process that was started, 0 once it has been collected
	killing bool       // everything is to end
	excess  string     // why, where a limit was passed
	bubble  *bubbleLog // what bubblewrap says, nil without it
}

// supervise is what the program does as a supervisor. It reads its order, starts
// the command in a session of its own, ends it when the runner wishes or is
// gone, and ends what it leaves behind.
func supervise(command []string) int {
	// Whatever we were started with besides our five descriptors is none of
	// the script's business.
	closeOnExec(3)
	control, reports := os.NewFile(controlFD, "control"), os.NewFile(reportFD, "reports")
	wishes := bufio.NewReader(control)
	var o order
	line, err := wishes.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &o) != nil || len(command) == 0 {
		fmt.Fprintln(os.Stderr, "error: "+stageWord+" is for the program itself: it starts a script this way")
		return 2
	}
	// What ends a process by its own will must not end us before the script.
	// Caught, not ignored: the script would inherit that.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)

	// The thread that starts the script has to stay: the script ends with it.
	runtime.LockOSThread()
	s := &supervisor{order: o}
	send(reports, report{Begun: true})
	if err := s.start(command); err != nil {
		failed := report{Error: err.Error()}
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			failed.Error, failed.Errno = strings.TrimSuffix(failed.Error, ": "+errno.Error()), int(errno)
		}
		send(reports, failed)
		return 1
	}
	send(reports, report{Started: s.script})
	go s.obey(wishes)
	if o.Limits != (limits{}) {
		go s.watch()
	}
	status := s.wait()
	s.clear()
	send(reports, s.ended(status))
	return 0
}

// ended is the last report.
func (s *supervisor) ended(status syscall.WaitStatus) report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := report{Ended: true, Code: status.ExitStatus(), Excess: s.excess}
	if status.Signaled() {
		r.Code, r.Signal = 0, int(status.Signal())
	}
	if s.bubble != nil && !s.killing {
		r = s.bubble.correct(r)
	}
	return r
}

// obey does what the runner wishes. When the runner is gone, everything ends.
func (s *supervisor) obey(wishes io.ByteReader) {
	for {
		wish, err := wishes.ReadByte()
		switch {
		case err != nil:
			s.kill()
			return
		case wish == wishTerminate:
			s.terminate()
		case wish == wishKill:
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
	case s.bubble == nil:
		ask(-s.script)
	default:
		// bubblewrap itself would end, and take the script with it at once.
		for _, pid := range descendants(s.bubble.inside()) {
			ask(pid)
		}
	}
}

// ask asks a process, or the group of a negative number, to end.
func ask(pid int) {
	syscall.Kill(pid, syscall.SIGTERM)
	syscall.Kill(pid, syscall.SIGCONT) // what is stopped would not notice
}

// watch ends everything where it passes a limit that the kernel does not know:
// of all processes together.
func (s *supervisor) watch() {
	for pause := pauseAfter(0); s.running(); {
		time.Sleep(pause)
		began := time.Now()
		found := excess(os.Getpid(), s.order.Limits)
		pause = pauseAfter(time.Since(began))
		if found == "" {
			continue
		}
		s.mu.Lock()
		s.excess = found
		s.mu.Unlock()
		s.kill()
		return
	}
}

// kill ends everything. Children are born while others are killed, so it goes
// on until the script has ended; [supervisor.clear] does the rest.
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
// dead script is not collected, its number is no other process's.
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

// clear ends all that the script has left behind. It comes to its end when there
// is nothing left: everything that loses its parent becomes our child.
func (s *supervisor) clear() {
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
