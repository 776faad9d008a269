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

// Error is a file that cannot be used or written to; Err is one of the reasons
// above, or the file system's.
type Error = safefile.Error

func (f *File) failed(what string, err error, help string) error {
	return &Error{Path: f.path, Message: fmt.Sprintf("it cannot be %s: %v", what, safefile.Reason(err)), Help: help, Err: err}
}

func openFailed(path string, err error) error {
	help := "check the permissions"
	if errors.Is(err, fs.ErrNotExist) {
		help = "check the path; the folder must exist"
	}
	return &Error{Path: path, Message: fmt.Sprintf("it cannot be opened: %v", safefile.Reason(err)), Help: help, Err: err}
}
