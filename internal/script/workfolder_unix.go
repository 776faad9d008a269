//go:build unix

package script

import (
	"io/fs"
	"os"
	"os/user"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockAlive says that the run of a work folder is alive, until the file is
// closed or the process ends.
func lockAlive(file *os.File) { unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// abandoned reports whether nobody holds the lock.
func abandoned(file *os.File) bool {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// owned reports whether a folder belongs to this user.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// userHome is the home folder that the system's list of users has, "" if
// unknown.
func userHome() string {
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}
