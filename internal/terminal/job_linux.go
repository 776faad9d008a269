package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

const getMode, setMode = unix.TCGETS, unix.TCSETS

// FlushInput discards unread input.
func FlushInput(tty *os.File) {
	Control(tty, func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
}

func foregroundGroup(fd int) (int, error) {
	group, err := unix.IoctlGetUint32(fd, unix.TIOCGPGRP)
	return int(group), err
}
