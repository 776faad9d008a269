package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped forgets what was typed before the question could be read: it is no
// answer to it.
func dropTyped(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
