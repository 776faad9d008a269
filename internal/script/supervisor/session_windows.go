package supervisor

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// attributes separates a command from our console, and from its Ctrl-C.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// session is the job object of a command; it ends with this process.
type session struct {
	mu      sync.Mutex
	process *os.Process
	job     windows.Handle // 0 for none: only the process itself can be ended
}

// start starts a command in a new job object; its first children may escape.
func (g *session) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	g.process = cmd.Process
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	var handle windows.Handle
	if err == nil {
		handle, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.process.Pid))
	}
	if err == nil {
		err = windows.AssignProcessToJobObject(job, handle)
		windows.CloseHandle(handle)
	}
	if err != nil {
		windows.CloseHandle(job)
		return nil
	}
	g.job = job
	return nil
}

// terminate kills the group: Windows has no signal to ask it to end.
func (g *session) terminate() { g.kill() }

func (g *session) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.TerminateJobObject(g.job, 1)
		return
	}
	g.process.Kill()
}

func (g *session) abandon() {}

func (g *session) drainTime() time.Duration { return drainWait }

func (g *session) reap(cmd *exec.Cmd) (Outcome, error) {
	err := cmd.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.TerminateJobObject(g.job, 1)
		windows.CloseHandle(g.job)
		g.job = 0
	}
	return Outcome{Code: cmd.ProcessState.ExitCode(), Unread: errors.Is(err, exec.ErrWaitDelay)}, nil
}
