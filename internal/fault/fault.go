// Package fault describes errors for the person at the command line: what is wrong,
// where, what to do about it, and the exit code of the process.
package fault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Exit codes of the process.
const (
	OK     = 0
	Failed = 1 // problems found, or the task was not completed
	Misuse = 2 // usage error, invalid configuration, or missing input
	Limit  = 3 // stopped at a limit
)

// Error is an error with what a user needs to correct it. Everything is optional.
type Error struct {
	Code         int    // exit code; 0 leaves it to the caller
	Path         string // the file that is wrong
	Line, Column int    // in the file, from 1, columns in code points; 0 if unknown
	Message      string // the text, without the place; "" for that of Err
	Hint         string // what to do
	Err          error  // the cause
	// Concluded means that the error is the command's result, even if the process's
	// context has ended meanwhile. Without a text, nothing is left to print.
	Concluded bool
}

// Error returns path:line:col: message, omitting unknown parts.
func (e *Error) Error() string {
	text := e.Message
	switch {
	case text != "":
	case e.Err != nil:
		text = e.Err.Error()
	default:
		text = fmt.Sprintf("exit code %d", e.Code)
	}
	switch {
	case e.Path == "":
		return text
	case e.Line == 0:
		return e.Path + ": " + text
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usage returns a usage error with a hint.
func Usage(hint, format string, args ...any) error {
	return &Error{Code: Misuse, Err: fmt.Errorf(format, args...), Hint: hint}
}

// UsageIf is like [Usage] if wrong is true; else it returns nil.
func UsageIf(wrong bool, hint, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return Usage(hint, format, args...)
}

// AsUsage returns a usage error for an error that may have its own hint.
func AsUsage(err error) error { return &Error{Code: Misuse, Err: err} }

// AsUsageIfHinted is like [AsUsage] for an error with a hint, which is one that the user
// can correct. Others are returned unchanged.
func AsUsageIfHinted(err error) error {
	if Hint(err) != "" {
		return AsUsage(err)
	}
	return err
}

// AsFailed returns the error of a task that failed.
func AsFailed(hint string, err error) error { return &Error{Code: Failed, Err: err, Hint: hint} }

// Hint returns the outermost hint of an error, or "".
func Hint(err error) string {
	e, ok := errors.AsType[*Error](err)
	for ok && e.Hint == "" {
		e, ok = errors.AsType[*Error](e.Err)
	}
	if !ok {
		return ""
	}
	return e.Hint
}

// Coded returns the outermost part of an error that has an exit code, or nil.
func Coded(err error) *Error {
	e, ok := errors.AsType[*Error](err)
	for ok && e.Code == 0 {
		e, ok = errors.AsType[*Error](e.Err)
	}
	return e
}

// Code returns the exit code of an error: its own, or else [Failed].
func Code(err error) int {
	if err == nil {
		return OK
	}
	if e := Coded(err); e != nil {
		return e.Code
	}
	return Failed
}

// LostOutput explains an error of writing to stdout; it returns nil for other errors.
func LostOutput(stdout io.Writer, err error) error {
	var path *fs.PathError
	out, ok := stdout.(interface{ Name() string })
	if !ok || !errors.As(err, &path) {
		return nil
	}
	if path.Op != "write" || path.Path != out.Name() {
		return nil
	}
	return AsFailed("the output is incomplete: free some space and run it again", fmt.Errorf("writing standard output: %w", path.Err))
}
