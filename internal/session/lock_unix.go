//go:build unix

package session

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openNonblock lets an open return at once where the file has become a named
// pipe since it was looked at.
const openNonblock = syscall.O_NONBLOCK

// lock takes the file for this process alone. The lock goes with the open file,
// so that it ends when the process does, however that is; programs that are
// started do not inherit it.
func lock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrInUse
		default:
			return err
		}
	}
}

// syncFolder puts the name of a new file on the disk. Some file systems cannot;
// the file itself is there all the same.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		dir.Sync()
		dir.Close()
	}
}
