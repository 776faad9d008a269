package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped forgets what was typed before the question could be read: it is no
// answer to it.
func dropTyped(tty *os.File) {
	const read = 1
	_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, read)
}
