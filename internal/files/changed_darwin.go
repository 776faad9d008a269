package files

import (
	"io/fs"
	"syscall"
)

// changeTime returns when a file's content or state was last changed, in nanoseconds.
func changeTime(info fs.FileInfo) int64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return stat.Ctimespec.Nano()
}
