//go:build linux || darwin

package terminal

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// MakeCbreak puts a terminal in cbreak mode: reads return after one key, without
// echo; keys that send signals still work. restore undoes it.
func MakeCbreak(tty *os.File) (restore func()) {
	restore = func() {}
	Control(tty, func(fd uintptr) {
		before, err := unix.IoctlGetTermios(int(fd), getMode)
		if err != nil {
			return
		}
		mode := *before
		mode.Lflag &^= unix.ICANON | unix.ECHO
		mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
		if unix.IoctlSetTermios(int(fd), setMode, &mode) == nil {
			restore = func() {
				Control(tty, func(fd uintptr) { _ = unix.IoctlSetTermios(int(fd), setMode, before) })
			}
		}
	})
	return restore
}

// InForeground reports whether the process may use the terminal, which no other
// job has. A terminal that does not control the process has no jobs.
func InForeground(fd uintptr) bool {
	group, err := foregroundGroup(int(fd))
	return err != nil || group == unix.Getpgrp()
}

// WatchJob prevents the shell from stopping a background process that reads or
// writes the terminal: until stop is called, such calls fail instead. resumed
// receives a value when the process continues.
func WatchJob() (resumed <-chan os.Signal, stop func()) {
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU)
	again := make(chan os.Signal, 1)
	signal.Notify(again, unix.SIGCONT)
	return again, func() {
		signal.Stop(again)
		signal.Reset(unix.SIGTTIN, unix.SIGTTOU)
	}
}
