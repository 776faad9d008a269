package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// FlushInput discards what was typed and not yet read.
func FlushInput(tty *os.File) {
	Control(tty, func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
}

// InForeground reports whether the process may use the terminal: it may not
// while the shell or another job has it. A terminal that does not control the
// process has no jobs.
func InForeground(fd uintptr) bool {
	group, err := unix.IoctlGetUint32(int(fd), unix.TIOCGPGRP)
	return err != nil || int(group) == unix.Getpgrp()
}
