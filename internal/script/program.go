package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// Ask runs a program that the user has chosen, such as a hook, with an input. It is
// started like a script, with further variables (KEY=VALUE), but not in a sandbox.
// A name with a slash is a file, relative to r.Dir; any other is searched for on
// PATH. The error says why it was not started; unread input is none.
func (r *Runner) Ask(ctx context.Context, command []string, input []byte, more ...string) (Result, error) {
	if len(command) == 0 || command[0] == "" {
		return Result{}, errors.New("starting a program: none is named")
	}
	failed := func(err error) error { return fmt.Errorf("starting %s: %w", command[0], err) }
	program, err := r.program(command[0])
	if err != nil {
		return Result{}, failed(err)
	}
	if err := checkArguments(command[1:]); err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, failed(context.Cause(ctx))
	}
	c := supervisor.Command{Args: append([]string{program}, command[1:]...), Dir: r.Dir, Env: append(r.environment(), more...), Stdin: bytes.NewReader(input)}
	result, err := r.execute(ctx, c, r.limit())
	if err != nil {
		return Result{}, failed(err)
	}
	result.Sandbox, result.Command = sandbox.None, command
	return result, nil
}

// program finds a program that the user has named.
func (r *Runner) program(name string) (string, error) {
	if filepath.Base(name) == name {
		if found, ok := r.Find(name); ok {
			return found, nil
		}
		return "", errors.New("it is not on the PATH")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Dir, name)
	}
	found, err := executable(name)
	if lookup, ok := errors.AsType[*exec.Error](err); ok {
		err = lookup.Err // without the name
	}
	return found, err
}
