package supervisor

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// attributes keeps a script away from our console, and from its Ctrl-C.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// session is the job object that a script and its children belong to. It ends
// them when we end, too.
type session struct {
	mu      sync.Mutex
	process *os.Process
	job     windows.Handle // 0 where there is none
}

// newSession puts a process that was just started into a new job object. Children
// that it has already started are not in it; where there can be no job, only
// the process itself can be ended.
func newSession(p *os.Process) *session {
	g := &session{process: p}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(job, p.Pid)
	}
	if err != nil {
		windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// assign puts a process into a job.
func assign(job windows.Handle, pid int) error {
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	return windows.AssignProcessToJobObject(job, handle)
}

// terminate ends the group at once: there is no asking on Windows.
func (g *session) terminate() { g.kill() }

// kill ends the group.
func (g *session) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.TerminateJobObject(g.job, 1)
		return
	}
	g.process.Kill()
}

// reap waits for the script's end, ends what it leaves behind, and collects its
// status.
func (g *session) reap(cmd *exec.Cmd) {
	cmd.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.TerminateJobObject(g.job, 1)
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

// abandon does nothing more.
func (g *session) abandon() {}

// outcome is the exit code: there are no signals on Windows.
func (g *session) outcome(state *os.ProcessState) Outcome { return Outcome{Code: state.ExitCode()} }
