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

// OneKey lets a read return with the first key instead of a line; signals by key
// and the echo stay. restore sets the terminal back. Without a terminal nothing
// changes.
func OneKey(tty *os.File) (restore func()) {
	restore = func() {}
	Control(tty, func(fd uintptr) {
		before, err := unix.IoctlGetTermios(int(fd), unix.TIOCGETA)
		if err != nil {
			return
		}
		mode := *before
		mode.Lflag &^= unix.ICANON | unix.ECHOCTL // or Enter is shown as ^J
		mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
		if unix.IoctlSetTermios(int(fd), unix.TIOCSETA, &mode) == nil {
			restore = func() {
				Control(tty, func(fd uintptr) { _ = unix.IoctlSetTermios(int(fd), unix.TIOCSETA, before) })
			}
		}
	})
	return restore
}
