package supervisor

// How the supervisor starts a command: with limits, without privileges, and inside
// of a sandbox. What is given up is given up for good by the thread that starts the
// command, and the command inherits it. The filter comes last, because it denies
// calls that the steps before it need. If a step fails, the command is not started.

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"skills/internal/script/sandbox"
)

// start starts the command in the requested sandbox. It must be called on the
// thread that lives longest, because the command ends with it.
func (s *supervisor) start(command []string) (err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting what loses its parent: %w", err)
	}
	begin := func() (int, error) { return fork(command, nil, syscall.SIGKILL) }
	switch s.request.Backend {
	case sandbox.Landlock:
		begin = func() (int, error) { return s.startInLandlock(command) }
	case sandbox.Bubblewrap:
		begin = func() (int, error) { return s.startInBubblewrap(command) }
	}
	limits := s.request.Limits
	if limits == (Limits{}) {
		s.script, err = begin()
		return err
	}
	err = setLimits(limits)
	if err != nil {
		return err
	}
	s.script, err = limitProcesses(limits, begin)
	return err
}

// fork starts the command as a child of the calling thread, in its own process
// group. It stays in the supervisor's session, whose number the runner knows
// even if the supervisor is killed. more are its file descriptors from 3 on;
// deathSignal is sent to it when the thread ends.
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

// startInLandlock starts the command on a thread that has given up its rights
// and ends afterwards, because a script could send signals to such a thread.
func (s *supervisor) startInLandlock(command []string) (pid int, err error) {
	onExitingThread(func() {
		err = dropPrivileges()
		if err == nil {
			err = sandbox.Restrict(s.request.Policy)
		}
		if err == nil {
			err = sandbox.SetFilter(s.request.Policy.Net)
		}
		if err == nil { // it must outlive this thread; the runner kills it with us
			pid, err = fork(command, nil, 0)
		}
	})
	return pid, err
}

// onExitingThread calls f on a thread that ends afterwards. The main thread
// cannot end, so it is kept busy if it is chosen first.
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

// startInBubblewrap starts bubblewrap with the filter, the sources of its mounts,
// and pipes for its status and for the reason why the script was not started.
// command is that of the script after bubblewrap's program.
func (s *supervisor) startInBubblewrap(command []string) (int, error) {
	launch, err := sandbox.NewLaunch(s.request.Policy, s.request.Descriptors)
	if err != nil {
		return 0, err
	}
	defer launch.Close()
	var open []*os.File // closed once bubblewrap has them
	defer func() {
		for _, file := range open {
			file.Close()
		}
	}()
	keep := func(file *os.File, failed error) uintptr {
		err = cmp.Or(err, failed)
		if failed != nil {
			return 0
		}
		open = append(open, file)
		return file.Fd()
	}
	pipe := func(reader **os.File) uintptr {
		var writer *os.File
		var failed error
		*reader, writer, failed = os.Pipe()
		return keep(writer, failed)
	}
	var plan bytes.Buffer
	if err := gob.NewEncoder(&plan).Encode(launch.Plan); err != nil {
		return 0, fmt.Errorf("preparing the sandbox: %w", err)
	}
	more := []uintptr{
		keep(memoryFile("filter", sandbox.FilterProgram(s.request.Policy.Sockets()))), pipe(&s.status),
		keep(os.OpenFile("/proc/self/exe", unix.O_PATH, 0)), keep(memoryFile("plan", plan.Bytes())), pipe(&s.failure),
	}
	if err != nil {
		return 0, fmt.Errorf("preparing the sandbox: %w", err)
	}
	for _, source := range launch.Sources {
		more = append(more, source.Fd())
	}
	return fork(slices.Concat(command[:1], launch.Arguments, command[1:]), more, syscall.SIGKILL)
}

// memoryFile returns a file in memory, at its start.
func memoryFile(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), name)
	_, err = file.Write(content)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// enter completes bubblewrap's sandbox from inside and becomes the script. It
// returns only if the script was not started.
func enter(command []string) int {
	runtime.LockOSThread() // the filter and the privileges are those of the thread
	closeOnExec(3)
	failure := os.NewFile(sandbox.FailureFD, "failure")
	var plan sandbox.Plan
	err := gob.NewDecoder(os.NewFile(sandbox.PlanFD, "plan")).Decode(&plan)
	if err != nil || len(command) == 0 {
		fmt.Fprintln(os.Stderr, "error: "+sandbox.EnterWord+" is internal: the program starts scripts this way")
		return 2
	}
	err = plan.Apply()
	if err == nil {
		err = dropPrivileges()
	}
	if err == nil && sandbox.Filtered() {
		err = sandbox.SetFilter(plan.Policy.Sockets())
	}
	if err == nil {
		err = os.Setenv("PWD", plan.Policy.Dir)
	}
	if err == nil {
		err = fmt.Errorf("starting %s: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
	}
	gob.NewEncoder(failure).Encode(failed(err))
	return 1
}

// correct converts the end of bubblewrap to that of the script. Bubblewrap has
// ended, and no other process has the other end of the pipes. A script that was
// asked to end may not have been started yet.
func correct(end Outcome, status, failure *os.File, asked bool) report {
	var why report
	if gob.NewDecoder(failure).Decode(&why) == nil {
		return why
	}
	reported, _ := io.ReadAll(status)
	started := bytes.Contains(reported, []byte(`"exit-code"`)) || end.Signal != ""
	switch {
	case !started && !asked:
		return report{Error: "bubblewrap could not start it"}
	case !started:
		end = signalled(syscall.SIGTERM)
		return report{Ended: &end}
	}
	// It reports a signal as an exit code, like a shell. Codes that programs use
	// themselves are kept.
	switch signal := syscall.Signal(end.Code - 128); signal {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGSYS, syscall.SIGXFSZ, syscall.SIGTRAP:
		end = signalled(signal)
	}
	return report{Ended: &end}
}

// threadsPerProcess is the number of threads allowed for each process: the
// system counts threads, and all of the user's.
const threadsPerProcess = 4

// setLimits limits this process and its future children.
func setLimits(l Limits) error {
	for resource, value := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: l.Open, unix.RLIMIT_FSIZE: l.File, unix.RLIMIT_DATA: l.Data} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err == nil {
			value = min(value, now.Max)
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setting resource limit %d: %w", resource, err)
		}
	}
	return nil
}

// limitProcesses calls start while the number of processes is limited. Started
// processes inherit the limit, and the system call filter prevents raising it.
// It cannot remain for this process, whose threads count too. It does not apply
// to the superuser.
func limitProcesses(l Limits, start func() (int, error)) (int, error) {
	var info unix.Sysinfo_t
	var before unix.Rlimit
	err := unix.Sysinfo(&info)
	if err == nil {
		err = unix.Prlimit(0, unix.RLIMIT_NPROC, nil, &before)
	}
	if err == nil {
		most := min(before.Max, uint64(info.Procs)+uint64(l.Processes)*threadsPerProcess)
		err = unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: before.Max}, nil)
	}
	if err != nil {
		return 0, fmt.Errorf("limiting processes: %w", err)
	}
	defer unix.Prlimit(0, unix.RLIMIT_NPROC, &before, nil)
	return start()
}

// DisableDump prevents other programs of this user, including an unsandboxed
// script, from reading this process: its memory, its environment, its files. It
// is for programs with keys, and is permanent. It does not stop the superuser.
func DisableDump() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// dropPrivileges permanently removes the privileges of the calling thread and
// its children: those of the superuser and those of setuid programs.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	for c := uintptr(0); c < 64; c++ {
		if unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) == unix.EINVAL {
			break // beyond the last one; without privileges the error is EPERM
		}
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	return nil
}
