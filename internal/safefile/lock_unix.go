//go:build unix

package safefile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes an open file for its holder alone, among those that ask, and never
// waits. The lock goes with the open file, so that it ends when the process
// does, however that is; programs that are started do not inherit it. The error
// is ErrLocked where another has it, else the file system's, which may know of
// no locks.
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

// Unlock releases a file that Lock took.
func Unlock(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }

// duplicate returns a second handle of an open file, which continues where the
// first one writes.
func duplicate(fd int) (*os.File, error) {
	second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(second), fmt.Sprintf("/dev/fd/%d", fd)), nil
}
