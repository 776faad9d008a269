//go:build unix

package jsonlfile

import (
	"os"
	"syscall"
)

// openNonblock makes an open return at once if the file became a named
// pipe since it was looked at.
const openNonblock = syscall.O_NONBLOCK

// syncFolder writes the name of a new file to the disk. Some file systems cannot;
// the file itself is safe all the same.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		dir.Sync()
		dir.Close()
	}
}
