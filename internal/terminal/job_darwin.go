package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

const getMode, setMode = unix.TIOCGETA, unix.TIOCSETA

// FlushInput discards unread input.
func FlushInput(tty *os.File) {
	Control(tty, func(fd uintptr) { _ = unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, 1) })
}

func foregroundGroup(fd int) (int, error) {
	return unix.IoctlGetInt(fd, unix.TIOCGPGRP)
}
