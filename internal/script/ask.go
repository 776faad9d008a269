package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// Ask runs a program that the user has chosen: it is handed input on its
// standard input and answers on its standard output. It is started like a
// script, but neither as one of a skill nor confined: no shell, the same
// environment (and further variables, KEY=VALUE), a session of its own, the
// same limits, the same end. A program with a slash in its name is a file, seen
// from r.Dir; any other is searched for on the PATH.
//
// The error says why it was not started. What it did not read of its input is
// no error.
func (r *Runner) Ask(ctx context.Context, command []string, input []byte, more ...string) (Result, error) {
	program, err := r.program(command)
	if err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("starting %s: %w", command[0], context.Cause(ctx))
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", command[0], err)
	}
	env := r.plain()
	for _, entry := range more {
		name, value, _ := strings.Cut(entry, "=")
		env = set(env, name, value)
	}

	runtime.LockOSThread() // as for a script: it ends with the thread that started it
	defer runtime.UnlockOSThread()

	began := time.Now()
	stdout, stderr := newCapture(r.outputCap(), r.Filter), newCapture(r.outputCap(), r.Filter)
	p, err := supervisor.Start(supervisor.Command{
		Args: append([]string{program}, command[1:]...), Dir: r.Dir, Env: env, Stdin: reader,
	}, stdout, stderr)
	reader.Close()
	if err != nil {
		writer.Close()
		return Result{}, fmt.Errorf("starting %s: %w", command[0], err)
	}
	go func() {
		writer.Write(input) // until it has read everything, or is gone
		writer.Close()
	}()
	why, end := p.Wait(ctx, r.limit())
	took := time.Since(began)
	writer.Close() // nobody reads any more
	if end.Err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", command[0], end.Err)
	}
	result := newResult(why, end, stdout, stderr, took, r.limit())
	result.Sandbox, result.Command = sandbox.None, command
	return result, nil
}

// program finds what a command line starts.
func (r *Runner) program(command []string) (string, error) {
	if len(command) == 0 || command[0] == "" {
		return "", errors.New("starting a program: none is named")
	}
	name := command[0]
	find := r.lookPath
	if filepath.Base(name) != name {
		find = executable
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Dir, name)
		}
	}
	found, err := find(name)
	switch {
	case errors.Is(err, exec.ErrNotFound) && filepath.Base(name) == name:
		return "", fmt.Errorf("starting %s: it is not on the PATH", name)
	case err != nil:
		return "", fmt.Errorf("starting %s: %w", command[0], reason(err))
	}
	return found, checkArguments(command[1:])
}

// reason is an error of looking for a program without its repetition of the
// name.
func reason(err error) error {
	var lookup *exec.Error
	if errors.As(err, &lookup) {
		return lookup.Err
	}
	return err
}

// limit is how long a program may take.
func (r *Runner) limit() time.Duration {
	if r.Timeout == 0 {
		return DefaultTimeout
	}
	return r.Timeout
}

// outputCap is how much of each stream is kept.
func (r *Runner) outputCap() int {
	if r.OutputCap <= 0 {
		return DefaultOutputCap
	}
	return r.OutputCap
}
