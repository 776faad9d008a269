package script

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts the command behind the fence of the order. It is called on the
// thread that stays: what is started here ends with it.
func (s *supervisor) start(command []string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting what loses its parent: %w", err)
	}
	if s.order.Limits != (limits{}) {
		if err := setLimits(s.order.Limits); err != nil {
			return err
		}
	}
	begin := func() (pid int, err error) {
		switch s.order.Kind {
		case kindLandlock:
			return s.startBehindLandlock(command)
		case kindBubblewrap:
			return s.startInBubblewrap(command)
		}
		return fork(command, nil, syscall.SIGKILL)
	}
	var err error
	if s.order.Limits.Processes > 0 {
		s.script, err = fewProcesses(s.order.Limits, begin)
	} else {
		s.script, err = begin()
	}
	return err
}

// fork starts the command as a child of the calling thread, in a session of its
// own. more are its descriptors from 3 on; deathSignal is what it gets when the
// thread ends.
func fork(command []string, more []uintptr, deathSignal syscall.Signal) (int, error) {
	pid, err := syscall.ForkExec(command[0], command, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: append([]uintptr{0, 1, 2}, more...),
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: deathSignal},
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", command[0], err)
	}
	return pid, nil
}

// startBehindLandlock starts the command on a thread that has given up its
// rights, and that ends then: to a thread that has them no more, the script could
// send signals.
func (s *supervisor) startBehindLandlock(command []string) (pid int, err error) {
	onPassingThread(func() {
		if err = giveUpPrivileges(); err != nil {
			return
		}
		if err = restrict(s.order); err != nil {
			return
		}
		if err = setFilter(callFilter(s.order.Net)); err != nil {
			return
		}
		// It must not end with this thread; that everything ends with us is in
		// the hands of the runner here.
		pid, err = fork(command, nil, 0)
	})
	return pid, err
}

// onPassingThread calls f on a thread that ends afterwards. The main thread
// cannot end, so it is kept busy meanwhile if it comes first.
func onPassingThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			onPassingThread(f)
			return
		}
		f()
	}()
	<-done
}

// startInBubblewrap starts bubblewrap with the filter and a pipe for what it has
// to say.
func (s *supervisor) startInBubblewrap(command []string) (int, error) {
	filterReader, filterWriter, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer filterReader.Close()
	// Less than a pipe holds, so nobody has to read meanwhile.
	_, err = filterWriter.Write(filterBytes(callFilter(s.order.Net)))
	filterWriter.Close()
	if err != nil {
		return 0, err
	}
	statusReader, statusWriter, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	pid, err := fork(command, []uintptr{filterReader.Fd(), statusWriter.Fd()}, syscall.SIGKILL)
	statusWriter.Close()
	if err != nil {
		return 0, err
	}
	s.bubble = listen(statusReader)
	return pid, nil
}
