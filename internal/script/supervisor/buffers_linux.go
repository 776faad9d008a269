package supervisor

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBuffer is the size of a pipe, which the system call filter keeps from being
// changed.
const pipeBuffer = 64 << 10

// socketBuffer returns the most memory that the buffer of a socket can hold. The
// filter keeps its size from being changed. The kernel accepts one more message,
// as large as the buffer, before the buffer is full.
func socketBuffer() uint64 {
	const usual = 212992
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 2 * usual
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	size, err := unix.GetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_SNDBUF)
	if err != nil {
		return 2 * usual
	}
	return 2 * uint64(size)
}

// buffers returns the memory that the buffers of the sockets and pipes of
// processes can hold; open is how many files each of them can have open. No
// counter says how much a buffer holds, so each counts as full. A result of at
// most room is an estimate, which is never too small.
func buffers(found []process, open, room uint64) uint64 {
	socket := socketBuffer()
	lists := make([][]string, len(found))
	hidden, most := uint64(0), uint64(0)
	for i, p := range found {
		names, readable := openFiles(p)
		if !readable {
			hidden += open * socket
		}
		lists[i], most = names, most+uint64(len(names))*socket
	}
	if hidden+most <= room {
		return hidden + most
	}
	total, known := hidden, map[fileID]bool{}
	for i, p := range found {
		for _, name := range lists[i] {
			id, size := bufferOf("/proc/"+strconv.Itoa(p.thread)+"/fd/"+name, socket)
			if size > 0 && !known[id] { // inherited ones count once
				known[id] = true
				total += size
			}
		}
	}
	return total
}

// fileID identifies an open file.
type fileID struct {
	major, minor uint32
	inode        uint64
}

// bufferOf returns the size of an open file's buffer, 0 if it has none.
func bufferOf(path string, socket uint64) (fileID, uint64) {
	var stat unix.Statx_t
	// The answer of a file system that hangs is not waited for.
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE|unix.STATX_INO, &stat) != nil {
		return fileID{}, 0
	}
	id := fileID{stat.Dev_major, stat.Dev_minor, stat.Ino}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		return id, socket
	case unix.S_IFIFO:
		return id, pipeBuffer
	}
	return id, 0
}

// openFiles returns the names of the open files of a process. readable is false
// if the process does not let others see them.
func openFiles(p process) (names []string, readable bool) {
	dir, err := os.Open("/proc/" + strconv.Itoa(p.thread) + "/fd")
	if err == nil {
		defer dir.Close()
		names, err = dir.Readdirnames(-1)
		if err == nil {
			return names, true
		}
	}
	now, visible := readProcess(p.pid)
	if !visible {
		return nil, syscall.Kill(p.pid, 0) != nil // it is gone, or /proc hides it
	}
	return nil, now.resident == 0 // the process is ending
}
