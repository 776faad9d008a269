package script

import (
	"errors"
	"fmt"
	"strings"
)

// Reasons why a script is not started, for [errors.Is]. An error that knows what
// to do also has a method Hint() string.
var (
	// ErrNoSandbox: no sandbox works here, and one is needed.
	ErrNoSandbox = errors.New("no sandbox works here")
	// ErrPolicy: what scripts may do here cannot be enforced, for example
	// because the working folder is a home folder.
	ErrPolicy = errors.New("scripts cannot be sandboxed in this folder")
	// ErrInterpreter: what would run the script is not installed, or unknown.
	ErrInterpreter = errors.New("no interpreter")
	// ErrChanged: the file is not the one whose digest was taken.
	ErrChanged = errors.New("the file has changed since the skill was loaded")
	// ErrNotScript: the name leads to something that is never run: a folder,
	// a named pipe, a device, a path outside the skill's folder.
	ErrNotScript = errors.New("not a script")
	// ErrArguments: the arguments cannot be passed to a program.
	ErrArguments = errors.New("unusable arguments")
)

// refusal is an error with its own text, one of the reasons above, and a hint.
type refusal struct {
	reason error
	text   string
	hint   string
	needs  []string
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.reason }

// Hint says what to do about it, or "".
func (r *refusal) Hint() string { return r.hint }

// Needs are the programs of which one would do and none is installed.
func (r *refusal) Needs() []string { return r.needs }

func refuse(reason error, hint, format string, args ...any) error {
	return &refusal{reason: reason, text: fmt.Sprintf(format, args...), hint: hint}
}

// missing is the error for a script whose interpreter is not installed.
// programs are the alternatives, install what to do.
func missing(script, install string, programs ...string) error {
	return &refusal{reason: ErrInterpreter, text: strings.Join(programs, " or ") + " is not on PATH; " + script + " needs it", hint: install, needs: programs}
}
