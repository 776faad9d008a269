package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped forgets what was typed before the question could be read: it is no
// answer to it.
func dropTyped(tty *os.File) {
	control(tty, func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
}

// inForeground reports whether the terminal is the process's to use: it is not
// while another of its jobs, or the shell, has it. A terminal that the process
// does not belong to knows no jobs of it.
func inForeground(fd uintptr) bool {
	group, err := unix.IoctlGetUint32(int(fd), unix.TIOCGPGRP)
	return err != nil || int(group) == unix.Getpgrp()
}
