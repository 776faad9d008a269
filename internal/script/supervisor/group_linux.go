package supervisor

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes puts a script into a session of its own: a process group that can
// be ended as a whole, and no terminal to ask at. It dies with the thread that
// started it, so that it does not outlive us where we are killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitDead waits until a child has ended, without collecting it. It returns
// false where that cannot be done.
func awaitDead(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// killSession kills a process group and everything else in the session of the
// same number: a shell with job control and timeout(1) put their children into
// groups of their own. Children are born while others are killed, so it looks
// again until there is nothing left, but not for ever.
func killSession(id int) {
	const rounds = 20
	for range rounds {
		syscall.Kill(-id, syscall.SIGKILL)
		if killMembers(id) == 0 {
			return
		}
	}
}

// killMembers kills the living members of a session and returns how many there
// were.
func killMembers(session int) int {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	found := 0
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || !livesIn(pid, session) {
			continue
		}
		found++
		// The number may be another process's by now. A descriptor is of one
		// process for good, so look once more after opening it.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil { // it is gone, or the kernel has no such descriptors
			syscall.Kill(pid, syscall.SIGKILL)
			continue
		}
		if livesIn(pid, session) {
			unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		unix.Close(fd)
	}
	return found
}

// livesIn says whether a process is in the session and not dead yet.
func livesIn(pid, session int) bool {
	if id, err := unix.Getsid(pid); err != nil || id != session {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// pid (name) state …; the name may hold anything.
	state := bytes.TrimLeft(stat[bytes.LastIndexByte(stat, ')')+1:], " ")
	return len(state) > 0 && !bytes.ContainsAny(state[:1], "ZXx")
}
