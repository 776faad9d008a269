//go:build linux || darwin

package cmd

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// asJob is for the time of a question. A shell may stop the process and let it
// go on in the background of the terminal, where reading and writing would stop
// it again, for good: until over is called they fail, or are done, instead.
// resumed receives something when the process goes on after it was stopped.
func asJob() (resumed <-chan os.Signal, over func()) {
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU)
	again := make(chan os.Signal, 1)
	signal.Notify(again, unix.SIGCONT)
	return again, func() {
		signal.Stop(again)
		signal.Reset(unix.SIGTTIN, unix.SIGTTOU)
	}
}
