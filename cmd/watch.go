package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"skills/internal/fault"
	"skills/internal/lint"
	"skills/internal/printable"
	"skills/internal/terminal"
)

// checkWatch returns an error for flags that --watch cannot be used with: those that change
// files, and results that are not for people.
func (f *validateFlags) checkWatch(c *cobra.Command, outputs []output) error {
	if !f.watch {
		return nil
	}
	for _, name := range []string{"fix", "diff", "add-ignore", "write-baseline", "show-settings", "config-schema"} {
		if c.Flags().Changed(name) {
			return usageError("omit one of the two", "--watch cannot be used with --%s", name)
		}
	}
	if slices.Contains(f.Paths, lint.Stdin) {
		return usageError("name the file", "--watch cannot check standard input")
	}
	for _, o := range outputs {
		if o.file != "" || o.format != "text" && o.format != "concise" {
			return usageError("omit one of the two, or use the format text", "--watch cannot be used with --format %s", o.format)
		}
	}
	return nil
}

// clearScreen clears a terminal with its history, and moves to its top.
const clearScreen = "\x1b[H\x1b[2J\x1b[3J"

// runWatch checks, and again at each change, until a signal. Errors of the first check end
// it; later ones, such as a configuration that is being edited, are part of the result.
func runWatch(ctx context.Context, a *app, f validateFlags, outputs []output) error {
	var failed error
	first := true
	err := f.Watch(ctx, nil, func() bool {
		switch {
		case terminal.Is(a.Stdout):
			_, failed = io.WriteString(printable.Exact(a.Stdout), clearScreen)
		case !first:
			_, failed = fmt.Fprintln(a.Stdout)
		}
		if failed != nil {
			return false
		}
		err := runValidate(ctx, a, f, slices.Clone(outputs))
		described, _ := errors.AsType[*fault.Error](err)
		switch {
		case err == nil, described != nil && described.Concluded, ctx.Err() != nil:
		case first, fault.LostOutput(a.Stdout, err) != nil:
			failed = err
			return false
		default:
			a.printError(err)
		}
		first = false
		if terminal.Is(a.Stderr) {
			fmt.Fprintln(a.Stderr, "Waiting for changes. Press Ctrl-C to end.")
		}
		return true
	})
	interrupt, interrupted := errors.AsType[Interrupt](err)
	switch {
	case failed != nil:
		return failed
	case interrupted: // the usual end
		return &fault.Error{Code: interrupt.ExitCode(), Concluded: true}
	}
	return err
}
