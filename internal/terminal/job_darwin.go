package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// FlushInput discards what was typed and not yet read.
func FlushInput(tty *os.File) {
	const read = 1
	Control(tty, func(fd uintptr) { _ = unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, read) })
}

// InForeground reports whether the process may use the terminal: it may not
// while the shell or another job has it. A terminal that does not control the
// process has no jobs.
func InForeground(fd uintptr) bool {
	group, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
