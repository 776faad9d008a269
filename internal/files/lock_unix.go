//go:build unix

package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Lock acquires an exclusive advisory lock on an open file without waiting. The
// lock ends when the file is closed or the process ends; child processes do not
// inherit it. The error is ErrLocked if another process holds the lock, or the
// file system's, which may not support locks.
func Lock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// Unlock releases a lock acquired by Lock.
func Unlock(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }

// duplicate returns a second handle of an open file with the same offset.
func duplicate(fd int) (*os.File, error) {
	second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(second), fmt.Sprintf("/dev/fd/%d", fd)), nil
}
