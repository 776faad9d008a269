package supervisor

import (
	"bytes"
	"math"
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

// countDescendants returns the descendants of a process and counts their threads.
// It stops once a limit is exceeded.
func countDescendants(pid int, l Limits) (pids []int, threads int) {
	most := math.MaxInt
	if l.Processes > 0 {
		most = l.Processes*threadsPerProcess + 1
	}
	pids, _ = childrenOf(pid, math.MaxInt)
	for i := 0; i < len(pids) && threads < most; i++ {
		more, n := childrenOf(pids[i], most-threads)
		pids, threads = append(pids, more...), threads+n
	}
	return pids, threads
}

// children are the children of all threads of a process.
func children(pid int) []int {
	found, _ := childrenOf(pid, math.MaxInt)
	return found
}

// childrenOf are the children of the threads of a process, and how many threads
// it has; at most so many of them are looked at.
func childrenOf(pid, most int) (found []int, threads int) {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	fd, err := unix.Open(tasks, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0 // gone
	}
	defer unix.Close(fd)
	buffer := make([]byte, 8<<10)
	for {
		n, err := unix.ReadDirent(fd, buffer)
		if err != nil || n <= 0 {
			return found, threads
		}
		_, _, names := unix.ParseDirent(buffer[:n], -1, nil)
		for _, name := range names {
			if threads == most {
				return found, threads
			}
			threads++
			for field := range bytes.FieldsSeq(contents(tasks + "/" + name + "/children")) {
				if child, err := strconv.Atoi(string(field)); err == nil {
					found = append(found, child)
				}
			}
		}
	}
}

// contents reads a kernel file without registering it for polling.
func contents(path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var all []byte
	buffer := make([]byte, 4<<10)
	for {
		n, err := unix.Read(fd, buffer)
		if n <= 0 || err != nil {
			return all
		}
		all = append(all, buffer[:n]...)
	}
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
