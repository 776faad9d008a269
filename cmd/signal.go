package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// SignalContext returns the context of a process: the first interrupt or
// SIGTERM ends it, with an [Interrupt] as its cause, so that the command can
// say what it came to; a second one ends the process at once.
func SignalContext() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(Interrupt{<-signals})
		os.Exit(Interrupt{<-signals}.ExitCode())
	}()
	return ctx
}
