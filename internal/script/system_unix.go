//go:build unix

package script

import (
	"io/fs"
	"os"
	"os/user"
	"syscall"
)

func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// userHome returns the home folder from the system's user database, or "".
func userHome() string {
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}
