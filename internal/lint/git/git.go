// Package git asks git which files of a repository changed.
//
// It runs the git that is installed, and git runs nothing else: hooks, pagers,
// external diffs, filters, file system monitors and transports are turned off,
// so that a stranger's repository cannot have a program of its choice started.
// It knows nothing of skills.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Client runs git.
type Client struct {
	// Env is the environment git gets, as os.Environ has it. What would make
	// git look at another repository than the folder's own is left out.
	Env []string
}

// Error is why git had no answer.
type Error struct {
	Message string
	Help    string // what to do about it
	Err     error  // what git or the system said, or nil
}

// Error says what could not be done and why.
func (e *Error) Error() string { return e.Message }

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Help }

// Unwrap returns the error underneath.
func (e *Error) Unwrap() error { return e.Err }

const (
	maxOutput = 64 << 20 // bytes of names that are read
	maxStderr = 4 << 10  // bytes of git's own words that are kept
)

// settings go before every command. They hold whatever the repository's own
// configuration says.
var settings = []string{
	"--no-pager", "--no-optional-locks",
	"-c", "core.fsmonitor=false", // may name a program
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.quotepath=off",
	"-c", "protocol.allow=never", // a partial clone would fetch what it lacks
	"-c", "color.ui=never",
}

// exitError is git's refusal: how it ended, and its own words.
type exitError struct {
	code   int
	stderr string
}

func (e *exitError) Error() string { return fmt.Sprintf("git ended with %d: %s", e.code, e.stderr) }

// says reports whether git's own words hold a text.
func (e *exitError) says(text string) bool { return strings.Contains(e.stderr, text) }

// run calls git in a folder and returns what it prints. Its refusals are
// *exitError; the end of the context is the context's cause.
func (c Client) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(settings[:len(settings):len(settings)], args...)...)
	cmd.Dir = dir
	cmd.Env = environment(c.Env)
	stdout, stderr := &capped{most: maxOutput, refuse: true}, &capped{most: maxStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second // for a child of git's that keeps the pipes open
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case stdout.over:
		return nil, &Error{Message: fmt.Sprintf("git listed more than %d MiB of changes", maxOutput>>20), Help: "name a nearer revision"}
	case errors.As(err, &exit):
		return nil, &exitError{exit.ExitCode(), strings.TrimSpace(stderr.String())}
	case errors.Is(err, exec.ErrNotFound):
		return nil, &Error{Message: "git is not installed, or not on the PATH", Help: "install git", Err: err}
	case err != nil:
		return nil, &Error{Message: fmt.Sprintf("running git: %v", err), Help: "check that git runs in this folder", Err: err}
	}
	return stdout.Bytes(), nil
}

// capped keeps the beginning of what is written to it. With refuse set it ends
// the writing where there is more, otherwise it drops it.
type capped struct {
	bytes.Buffer
	most         int
	refuse, over bool
}

var errOver = errors.New("output is too long")

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), c.most-c.Len())
	c.Buffer.Write(p[:keep])
	if keep < len(p) {
		c.over = true
		if c.refuse {
			return keep, errOver
		}
	}
	return len(p), nil
}
