package jsonlfile

import (
	"errors"
	"fmt"
	"io/fs"

	"skills/internal/safefile"
)

// Reasons for which a file is not used, to be tested with [errors.Is].
var (
	ErrInUse    = errors.New("another run is using it")
	ErrForeign  = errors.New("it is not such a file")
	ErrDamaged  = errors.New("it is damaged")
	ErrFull     = errors.New("it is full")
	ErrTampered = errors.New("it was changed by somebody else")
)

// Error is a file that cannot be used or written to.
type Error struct {
	Path string
	Line int    // from 1; 0 if it is about the whole file
	Text string // what is wrong
	Help string // what to do
	Err  error  // one of the reasons above, or the file system's
}

// Error is path: text, with the line if there is one.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text)
	}
	return e.Path + ": " + e.Text
}

// Hint is what to do about it.
func (e *Error) Hint() string { return e.Help }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

func (f *File) failed(what string, err error, help string) error {
	return &Error{Path: f.path, Text: fmt.Sprintf("it cannot be %s: %v", what, safefile.Reason(err)), Help: help, Err: err}
}

func openFailed(path string, err error) error {
	help := "check the permissions"
	if errors.Is(err, fs.ErrNotExist) {
		help = "check the path; the folder must exist"
	}
	return &Error{Path: path, Text: fmt.Sprintf("it cannot be opened: %v", safefile.Reason(err)), Help: help, Err: err}
}
