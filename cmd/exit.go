package cmd

// How commands end: each error has an exit code and is printed once, with its hint. A
// signal cancels the context, so that a command cleans up; a second one ends the program at
// once.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/lint"
	"skills/internal/printable"
)

// Exit codes of all commands.
const (
	exitFine     = fault.OK
	exitProblems = fault.Failed // problems found, or the run did not finish its task
	exitUsage    = fault.Misuse // usage error, invalid configuration, or missing input
	exitLimit    = fault.Limit  // stopped at a limit
)

// Interrupt is the cause of a context cancelled by a signal.
type Interrupt struct{ Signal os.Signal }

// Error returns the name of the signal.
func (i Interrupt) Error() string {
	names := map[os.Signal]string{os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT"}
	return "interrupted by " + names[i.Signal]
}

// ExitCode returns 128 plus the number of the signal, as in shells: 130 for SIGINT, 143
// for SIGTERM, 129 for SIGHUP, 131 for SIGQUIT.
func (i Interrupt) ExitCode() int { return 128 + int(i.Signal.(syscall.Signal)) }

// SignalContext returns the context of a process. The first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT cancels it with an [Interrupt] as the cause, so that the command can report
// its result; one that comes later and has nothing to cancel ends the process
// immediately. SIGPIPE is caught: if a reader closes our output (head, a pager), the
// write fails and the command cleans up.
func SignalContext() context.Context {
	s := &signals{open: map[context.Context]context.CancelCauseFunc{}}
	ctx, _ := s.until(context.Background())
	// Caught and discarded rather than ignored, which child processes would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for sig := range caught {
			if !s.received(sig, time.Now()) {
				os.Exit(Interrupt{sig}.ExitCode())
			}
		}
	}()
	return context.WithValue(ctx, hook.UntilSignal{}, s.until)
}

// signals cancels contexts at signals.
type signals struct {
	mu   sync.Mutex
	open map[context.Context]context.CancelCauseFunc // what the next signal cancels
	last time.Time
}

// until returns a copy of a context that the next signal cancels.
func (s *signals) until(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[ctx] = cancel
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, ctx)
		cancel(nil)
	}
}

// received cancels what is open, and reports whether there was anything. A signal
// within a second is the same one again: a wrapper forwards what the terminal sent.
func (s *signals) received(sig os.Signal, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.last) < time.Second {
		return true
	}
	s.last = now
	for _, cancel := range s.open {
		cancel(Interrupt{sig})
	}
	any := len(s.open) > 0
	clear(s.open)
	return any
}

// usageError returns an error about flags, arguments or configuration.
func usageError(hint, format string, args ...any) error {
	return fault.Usage(hint, format, args...)
}

// reported ends a command whose output already describes problems, if there are any.
func reported(problems bool) error {
	if !problems {
		return nil
	}
	return &fault.Error{Code: exitProblems, Concluded: true}
}

// exit converts a command's error to the exit code and prints the error unless it was
// already printed.
func (a *app) exit(ctx context.Context, err error) int {
	var interrupt Interrupt
	f, code, lost := fault.Coded(err), exitProblems, fault.LostOutput(a.Stdout, err)
	switch {
	case err == nil:
		return exitFine
	case f != nil && f.Concluded:
		code, err = f.Code, f
		if f.Err == nil {
			return code
		}
	case errors.As(context.Cause(ctx), &interrupt):
		code, err = interrupt.ExitCode(), interrupt
	case errors.Is(err, syscall.EPIPE):
		return code // the reader of our output has read enough
	case lost != nil:
		err = lost
	case f != nil:
		code = f.Code
	case !a.started:
		code = exitUsage
	}
	a.printError(err)
	return code
}

// printError prints an error, and its hint on a separate line.
func (a *app) printError(err error) {
	if several, ok := errors.AsType[lint.Errors](err); ok {
		for _, err := range several {
			a.printError(err)
		}
		return
	}
	if a.mask == nil {
		a.readKeys() // the command did not get that far
	}
	fmt.Fprintf(a.Stderr, "error: %s\n", printable.Line(a.mask.Text(strings.TrimSpace(err.Error()))))
	hint := fault.Hint(err)
	if hint == "" && !a.started {
		hint = "see skills --help"
	}
	if hint != "" {
		fmt.Fprintf(a.Stderr, "hint: %s\n", printable.Line(a.mask.Text(hint)))
	}
}

// note prints a note about what is fine.
func (a *app) note(text string) {
	fmt.Fprintf(a.Stderr, "note: %s\n", printable.Line(a.mask.Text(text)))
}

// warn prints a warning for the user.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.Stderr, "warning: %s\n", printable.Line(a.mask.Text(fmt.Sprintf(format, args...))))
}
