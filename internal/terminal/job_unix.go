//go:build linux || darwin

package terminal

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// WatchJob keeps a process alive that a shell moves to the background while it
// reads or writes the terminal: until stop is called, that fails instead of
// stopping the process. resumed receives a value when the process continues.
func WatchJob() (resumed <-chan os.Signal, stop func()) {
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU)
	again := make(chan os.Signal, 1)
	signal.Notify(again, unix.SIGCONT)
	return again, func() {
		signal.Stop(again)
		signal.Reset(unix.SIGTTIN, unix.SIGTTOU)
	}
}
