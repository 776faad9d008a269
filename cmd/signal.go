package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// SignalContext returns the context of a process: the first SIGINT, SIGTERM,
// SIGHUP or SIGQUIT ends it, with an [Interrupt] as its cause, so that the command can
// say what it came to; a second one ends the process at once. A reader that
// leaves (head, a pager) is an error of the write and no signal, so that
// everything is tidied up all the same.
func SignalContext() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	// Caught and dropped, not ignored: programs that are started must not
	// inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		cancel(Interrupt{<-signals})
		os.Exit(Interrupt{<-signals}.ExitCode())
	}()
	return ctx
}
