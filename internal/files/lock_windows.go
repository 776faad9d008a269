package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is the byte to lock: far beyond the end of the file, because locked
// bytes cannot be read by other processes.
func lockAt() *windows.Overlapped {
	return &windows.Overlapped{Offset: 0xFFFFFFFE, OffsetHigh: 0x7FFFFFFF}
}

// Lock acquires an exclusive lock on an open file without waiting. The lock
// ends when the file is closed or the process ends. The error is ErrLocked if
// another process holds the lock, or the file system's.
func Lock(file *os.File) error {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockAt())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Unlock releases a lock acquired by Lock.
func Unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, lockAt())
}

// duplicate is not used: no path refers to an open file on Windows.
func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }
