package session

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// openNonblock is nothing here: there are no named pipes among the files.
const openNonblock = 0

// lock takes the file for this process alone, until it is closed or the process
// ends. What is locked is a byte far behind the end, because locked bytes
// cannot be read by anybody else.
func lock(file *os.File) error {
	at := &windows.Overlapped{Offset: 0xFFFFFFFE, OffsetHigh: 0x7FFFFFFF}
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}

// syncFolder is nothing here: the file system keeps names by itself.
func syncFolder(string) {}
