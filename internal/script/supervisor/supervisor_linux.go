package supervisor

// The supervisor's own process. It lives until nothing of the script is left:
// descendants whose parents have ended become its children. It collects the script
// under a lock, so that the number by which it signals the script is never that of
// another process. It ends everything when the runner closes the control pipe or
// when a limit is exceeded.

import (
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the process between the runner and one script.
type supervisor struct {
	request request
	status  *os.File // status pipe of bubblewrap, or nil
	failure *os.File // why bubblewrap's script was not started; nil if status is

	mu      sync.Mutex
	script  int    // the started process, 0 once it has been collected
	asked   bool   // the script was asked to end
	killing bool   // everything must end
	limit   string // the exceeded limit, if any
}

// supervise runs the program as a supervisor and returns the exit code.
func supervise(command []string) int {
	// The script must not inherit our other file descriptors.
	closeOnExec(3)
	control, reports := os.NewFile(controlFD, "control"), gob.NewEncoder(os.NewFile(reportFD, "reports"))
	s := &supervisor{}
	if len(command) == 0 || gob.NewDecoder(control).Decode(&s.request) != nil {
		fmt.Fprintln(os.Stderr, "error: "+superviseWord+" is internal: the program starts scripts this way")
		return 2
	}
	// A signal must not end the supervisor before the script. It is caught
	// rather than ignored, which the script would inherit.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE, terminateSignal)

	// The script ends with the thread that starts it.
	runtime.LockOSThread()
	if err := s.start(command); err != nil {
		reports.Encode(failed(err))
		return 1
	}
	reports.Encode(report{})
	go func() {
		for got := range signals {
			if got == terminateSignal {
				s.terminate()
			}
		}
	}()
	go func() {
		io.Copy(io.Discard, control) // until the runner closes it or ends
		s.kill()
	}()
	if s.request.Limits != (Limits{}) {
		go s.watch()
	}
	end := outcomeOf(s.wait())
	s.endDescendants()
	s.mu.Lock()
	defer s.mu.Unlock()
	last := report{Ended: &end}
	if s.status != nil && !s.killing {
		last = correct(end, s.status, s.failure, s.asked)
	}
	if last.Ended != nil {
		last.Ended.Limit = s.limit
	}
	reports.Encode(last)
	return 0
}

// closeOnExec prevents programs from inheriting the file descriptors from first
// on.
func closeOnExec(first int) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}

func (s *supervisor) terminate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.script == 0 {
		return
	}
	s.asked = true
	if s.status == nil {
		interrupt(-s.script)
		return
	}
	// Bubblewrap, and its first process inside, would end immediately and kill
	// the script.
	for _, p := range descendants(s.script) {
		if p.parent != s.script {
			interrupt(p.pid)
		}
	}
}

// watch kills everything when a limit on all processes together is exceeded.
func (s *supervisor) watch() {
	for pause := pauseAfter(0); s.running(); {
		time.Sleep(pause)
		began := time.Now()
		if found := limitExceeded(os.Getpid(), s.request.Limits, s.status != nil); found != "" {
			s.mu.Lock()
			s.limit = found
			s.mu.Unlock()
			s.kill()
			return
		}
		pause = pauseAfter(time.Since(began))
	}
}

// kill kills everything. Children may start meanwhile, so it repeats until the
// script has ended; [supervisor.endDescendants] does the rest.
func (s *supervisor) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killing {
		return
	}
	s.killing = true
	go func() {
		for s.running() {
			killDescendants()
			time.Sleep(time.Millisecond)
		}
	}()
}

// running reports whether the script has not been collected yet.
func (s *supervisor) running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.script > 0
}

// wait collects the script, after all other ended processes. While a dead
// script is not collected, its number is not reused.
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

// endDescendants kills everything that the script has left. It returns when
// nothing is left: orphans become our children.
func (s *supervisor) endDescendants() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.ECHILD:
			return
		case err == nil && pid == 0:
			killDescendants()
			time.Sleep(time.Millisecond / 5)
		}
	}
}
