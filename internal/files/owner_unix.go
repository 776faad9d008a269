//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner and the group of the one that it replaces,
// or only the group, or neither, as far as the user may.
func keepOwner(file *os.File, old fs.FileInfo) {
	if was, ok := old.Sys().(*syscall.Stat_t); ok && file.Chown(int(was.Uid), int(was.Gid)) != nil {
		_ = file.Chown(-1, int(was.Gid))
	}
}
