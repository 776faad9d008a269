package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"skills/internal/lint"
	"skills/internal/printable"
	"skills/internal/runner"
)

// The exit codes, the same for every command.
const (
	exitFine     = runner.ExitOK
	exitProblems = runner.ExitFailed // problems found, or the run did not finish its task
	exitUsage    = runner.ExitUsage  // usage error, invalid configuration, or missing input
	exitLimit    = runner.ExitLimit  // stopped at a limit
)

// Interrupt is the cause of a context that a signal ended.
type Interrupt struct{ Signal os.Signal }

// Error names the signal.
func (i Interrupt) Error() string {
	names := map[os.Signal]string{os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT"}
	return "interrupted by " + names[i.Signal]
}

// ExitCode is 128 plus the number of the signal, as in shells: 130 for
// SIGINT, 143 for SIGTERM, 129 for SIGHUP, 131 for SIGQUIT.
func (i Interrupt) ExitCode() int { return 128 + int(i.Signal.(syscall.Signal)) }

// SignalContext returns the context of a process. The first SIGINT, SIGTERM,
// SIGHUP or SIGQUIT ends it, with an [Interrupt] as its cause, so that the
// command can report its result; a second one ends the process at once. SIGPIPE
// is caught: a reader that closes our output (head, a pager) makes the write
// fail, and the command cleans up.
func SignalContext() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	// Caught and dropped, not ignored: child processes would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		cancel(Interrupt{<-signals})
		os.Exit(Interrupt{<-signals}.ExitCode())
	}()
	return ctx
}

// wrongUsage is a refusal of flags, arguments or configuration.
func wrongUsage(hint, format string, args ...any) error { return runner.Refuse(hint, format, args...) }

// reported ends a command whose output already says what is wrong.
func reported() error { return &runner.Error{Code: exitProblems, Concluded: true} }

// exit turns a command's error into the exit code and prints what has not been
// printed yet.
func (a *app) exit(ctx context.Context, err error) int {
	var interrupt Interrupt
	var f *runner.Error
	lost := runner.LostOutput(a.Stdout, err)
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &f) && f.Concluded:
		if f.Err != nil {
			a.refuse(f)
		}
		return f.Code
	case errors.As(context.Cause(ctx), &interrupt):
		a.refuse(interrupt)
		return interrupt.ExitCode()
	case errors.Is(err, syscall.EPIPE):
		return exitProblems // the reader of our output has read enough
	case lost != nil:
		a.refuse(lost)
		return exitProblems
	case errors.As(err, &f):
		a.refuse(err)
		return f.Code
	case !a.started:
		a.refuse(err)
		return exitUsage
	}
	a.refuse(err)
	return exitProblems
}

// refuse prints an error, and its hint on a line of its own.
func (a *app) refuse(err error) {
	var several lint.Errors
	if errors.As(err, &several) {
		for _, err := range several {
			a.refuse(err)
		}
		return
	}
	if a.mask == nil {
		a.newRunner(runner.Options{}).ReadKeys(context.Background()) // the command did not get that far
	}
	fmt.Fprintf(a.Stderr, "error: %s\n", printable.Line(a.mask.Text(strings.TrimSpace(err.Error()))))
	hint := runner.HintOf(err)
	if hint == "" && !a.started {
		hint = "see skills --help"
	}
	if hint != "" {
		fmt.Fprintf(a.Stderr, "hint: %s\n", printable.Line(a.mask.Text(hint)))
	}
}

// warn prints what a person should know.
// note prints a note about what is fine.
func (a *app) note(text string) {
	fmt.Fprintf(a.Stderr, "note: %s\n", printable.Line(a.mask.Text(text)))
}

func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.Stderr, "warning: %s\n", printable.Line(a.mask.Text(fmt.Sprintf(format, args...))))
}
