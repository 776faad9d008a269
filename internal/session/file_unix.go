//go:build unix

package session

import (
	"os"
	"syscall"
)

// openNonblock lets an open return at once where the file has become a named
// pipe since it was looked at.
const openNonblock = syscall.O_NONBLOCK

// syncFolder puts the name of a new file on the disk. Some file systems cannot;
// the file itself is there all the same.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		dir.Sync()
		dir.Close()
	}
}
