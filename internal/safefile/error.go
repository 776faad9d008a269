package safefile

import (
	"errors"
	"fmt"
	"io/fs"
)

// Error is something that cannot be used, mostly a file: it cannot be read, or
// its content is wrong.
type Error struct {
	Path         string // "" if it is not a file
	Line, Column int    // from 1, columns in code points; 0 where not known
	Message      string
	Help         string // what to do about it
	Err          error  // the cause, or nil
}

// Error is path:line:col: message, as far as the place is known.
func (e *Error) Error() string {
	switch {
	case e.Path == "":
		return e.Message
	case e.Line == 0:
		return e.Path + ": " + e.Message
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Help }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Load is ReadRegular with errors for people, which are *Error. missing is the
// hint for a file that does not exist, wrong the hint for any other.
func Load(path string, limit int64, missing, wrong string) ([]byte, error) {
	data, err := ReadRegular(path, limit)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Path: path, Message: "does not exist", Help: missing, Err: err}
	case errors.Is(err, ErrIrregular):
		return nil, &Error{Path: path, Message: err.Error(), Help: wrong, Err: err}
	case errors.Is(err, ErrTooLarge):
		return nil, &Error{Path: path, Message: fmt.Sprintf("is larger than %d KiB", limit>>10), Help: wrong, Err: err}
	}
	return nil, &Error{Path: path, Message: fmt.Sprintf("cannot be read: %v", Reason(err)), Help: "check the permissions", Err: err}
}
