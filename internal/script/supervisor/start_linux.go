package supervisor

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"skills/internal/script/sandbox"
)

// start starts the command in the sandbox of the request. It is called on the
// thread that stays: what is started here ends with it.
func (s *supervisor) start(command []string) (err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting what loses its parent: %w", err)
	}
	begin := func() (int, error) { return fork(command, nil, syscall.SIGKILL) }
	switch s.request.Setup.Backend {
	case sandbox.Landlock:
		begin = func() (int, error) { return s.startInLandlock(command) }
	case sandbox.Bubblewrap:
		begin = func() (int, error) { return s.startInBubblewrap(command) }
	}
	if limits := s.request.Limits; limits == (Limits{}) {
		s.script, err = begin()
	} else if err = setLimits(limits); err == nil {
		s.script, err = limitProcesses(limits, begin)
	}
	return err
}

// fork starts the command as a child of the calling thread, in a process group
// of its own. It stays in the supervisor's session, whose number the runner
// knows even if the supervisor is killed. more are its descriptors from 3 on;
// deathSignal is what it gets when the thread ends.
func fork(command []string, more []uintptr, deathSignal syscall.Signal) (int, error) {
	pid, err := syscall.ForkExec(command[0], command, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: append([]uintptr{0, 1, 2}, more...),
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: deathSignal},
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", command[0], err)
	}
	return pid, nil
}

// startInLandlock starts the command on a thread that has given up its rights,
// and that ends afterwards: a script could send signals to a thread like it.
func (s *supervisor) startInLandlock(command []string) (pid int, err error) {
	onExitingThread(func() {
		if err = dropPrivileges(); err == nil {
			err = sandbox.Restrict(s.request.Setup)
		}
		if err == nil {
			err = sandbox.SetFilter(s.request.Setup.Net)
		}
		if err == nil { // it must not end with this thread; the runner ends it with us
			pid, err = fork(command, nil, 0)
		}
	})
	return pid, err
}

// onExitingThread calls f on a thread that ends afterwards. The main thread
// cannot end, so it is kept busy meanwhile if it comes first.
func onExitingThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			onExitingThread(f)
			return
		}
		f()
	}()
	<-done
}

// startInBubblewrap starts bubblewrap with the filter and a pipe for its status.
// Both are less than a pipe holds, so nobody has to read meanwhile.
func (s *supervisor) startInBubblewrap(command []string) (int, error) {
	filterReader, filterWriter, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer filterReader.Close()
	_, err = filterWriter.Write(sandbox.FilterProgram(s.request.Setup.Net))
	filterWriter.Close()
	if err != nil {
		return 0, err
	}
	statusReader, statusWriter, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer statusWriter.Close()
	s.status = statusReader
	return fork(command, []uintptr{filterReader.Fd(), statusWriter.Fd()}, syscall.SIGKILL)
}

// correct turns the end of bubblewrap into the end of the script. Bubblewrap has
// ended, and nobody else holds the other end of its status.
func correct(end Outcome, status *os.File) report {
	said, _ := io.ReadAll(status)
	if !bytes.Contains(said, []byte(`"exit-code"`)) && end.Signal == "" {
		return report{Error: "bubblewrap could not start it"}
	}
	// It reports a signal as an exit code, as a shell does. Codes that programs
	// use for themselves are left as they are.
	switch signal := syscall.Signal(end.Code - 128); signal {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGSYS, syscall.SIGXFSZ, syscall.SIGTRAP:
		limit := end.Limit
		end = signalled(signal)
		end.Limit = limit
	}
	return report{Ended: &end}
}
