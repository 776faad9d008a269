// Package session keeps a conversation in a file, so that a later run goes on
// where the last one ended, however that ended.
//
// The file is JSON Lines and only ever grows: a header, then one line for every
// message as it joined the conversation, and a line with a provider's state
// whenever that changed (the todo list, the names of the skills that were
// loaded). Results of calls that run side by side stand there as those ended,
// each behind the states that it speaks of; they are read in the order of the
// calls. What belongs together is appended by one write and is on the disk
// before anything follows from it. So a run that is killed loses at most what
// it was about to write, and a write that was cut in its middle is told by its
// missing end of line.
//
// What is kept is what was said: the person's messages, the model's, the
// results of tools, and what context providers put into the conversation.
// Instructions and the messages that stand at the end of each request are made
// anew by every run. It knows nothing of what the states mean.
package session

import (
	"errors"
	"fmt"
)

// Bounds of a session file, in bytes.
const (
	maxFile = 64 << 20
	maxLine = 16 << 20
)

// Reasons for which a file is not used, to be asked for with [errors.Is].
var (
	// ErrInUse: another run uses the file.
	ErrInUse = errors.New("another run is using it")
	// ErrForeign: the file is there, and is something else than a session.
	ErrForeign = errors.New("it is no session file")
	// ErrDamaged: a line in the middle of the file cannot be what was written.
	ErrDamaged = errors.New("it is damaged")
	// ErrFull: the file, or a line of it, is or would become too large.
	ErrFull = errors.New("it is full")
)

// Error is a session file that cannot be used, or written to.
type Error struct {
	Path string
	Line int    // from 1; 0 where it is about the whole file
	Text string // what is wrong
	Help string
	Err  error // one of the reasons above, or the file system's
}

// Error is path: text, with the line where there is one.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text)
	}
	return e.Path + ": " + e.Text
}

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Help }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
