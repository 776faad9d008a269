package script

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// closeOnExec marks all descriptors from first on, so that no program that is
// started inherits them.
func closeOnExec(first int) {
	if unix.CloseRange(uint(first), ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, _ := os.ReadDir("/proc/self/fd") // a kernel before 5.11
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}

// descendants are the children of a process, their children and so on, parents
// first. Those born meanwhile may be missing.
func descendants(pid int) []int {
	found := children(pid)
	for i := 0; i < len(found); i++ {
		found = append(found, children(found[i])...)
	}
	return found
}

// children are the children of all threads of a process.
func children(pid int) []int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.Open(tasks)
	if err != nil {
		return nil // gone
	}
	names, _ := threads.Readdirnames(-1)
	threads.Close()
	var found []int
	for _, name := range names {
		list, err := os.ReadFile(tasks + "/" + name + "/children")
		if err != nil {
			continue
		}
		for field := range bytes.FieldsSeq(list) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// killAll ends processes. They are stopped first, so that they have no children
// while it is at work.
func killAll(pids []int) {
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}
