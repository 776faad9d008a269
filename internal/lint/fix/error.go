package fix

import (
	"errors"
	"fmt"

	"skills/internal/safefile"
)

// Reasons for which a file is left alone.
var (
	ErrLink    = errors.New("it is reached through a symbolic link, which is not followed for writing")
	ErrChanged = errors.New("it has changed since it was read")
	ErrTaken   = errors.New("there is a file of the new name already")
)

// Error is a file, or a skill's folder, that could not be mended.
type Error struct {
	Path string // as findings name it
	Err  error  // one of the reasons above, or of the file system
}

// Error names the file and the reason. Of the file system's errors only the
// reason is told: the temporary name that they speak of is no user's.
func (e *Error) Error() string {
	return fmt.Sprintf("mending %s: %v", e.Path, safefile.Reason(e.Err))
}

// Hint says what to do about it.
func (e *Error) Hint() string {
	switch {
	case errors.Is(e.Err, ErrLink):
		return "mend the file that the link leads to, or put the file itself there"
	case errors.Is(e.Err, ErrChanged):
		return "run it again when nothing else writes there"
	case errors.Is(e.Err, ErrTaken):
		return "keep one of the two files"
	}
	return "check the permissions of the file and its folder, and the room on the disk"
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
