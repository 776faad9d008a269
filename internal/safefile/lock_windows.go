package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is the byte that is locked: one far behind the end, because locked
// bytes cannot be read by anybody else.
func lockAt() *windows.Overlapped {
	return &windows.Overlapped{Offset: 0xFFFFFFFE, OffsetHigh: 0x7FFFFFFF}
}

// Lock takes an open file for its holder alone, among those that ask, and never
// waits. The lock ends with the open file or the process. The error is
// ErrLocked where another has it, else the file system's.
func Lock(file *os.File) error {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockAt())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Unlock releases a file that Lock took.
func Unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, lockAt())
}

// duplicate is not used: there are no paths that name an open file.
func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }
