package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// versionTime is the longest that a program may take to print its version.
const versionTime = 5 * time.Second

// ErrVersion says that a program's version could not be determined.
var ErrVersion = errors.New("its version is not known")

// Ask runs a program that the user has chosen, such as a hook: input goes to its
// standard input. It is started like a script, but neither as one of a skill nor
// in a sandbox: no shell, the same environment (and further variables,
// KEY=VALUE), the same limits. A program with a slash in its name is a file,
// relative to r.Dir; any other is searched for on PATH.
//
// The error says why it was not started. Input that it did not read is no error.
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
	reader, writer, err := os.Pipe()
	if err != nil {
		return Result{}, failed(err)
	}
	env := r.plain()
	for _, entry := range more {
		name, value, _ := strings.Cut(entry, "=")
		env = set(env, name, value)
	}
	go func() {
		writer.Write(input) // until it has read everything, or has ended
		writer.Close()
	}()
	result, err := r.execute(ctx, supervisor.Command{Args: append([]string{program}, command[1:]...), Dir: r.Dir, Env: env, Stdin: reader}, r.limit())
	reader.Close()
	if err != nil {
		return Result{}, failed(err)
	}
	result.Sandbox, result.Command = sandbox.None, command
	return result, nil
}

// program finds a program that the user has named.
func (r *Runner) program(name string) (string, error) {
	if filepath.Base(name) == name {
		found, err := r.lookPath(name)
		if err != nil {
			return "", errors.New("it is not on the PATH")
		}
		return found, nil
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

// Find returns where a program is, as scripts would find it, and whether it is
// installed.
func (r *Runner) Find(program string) (path string, ok bool) {
	path, err := r.lookPath(program)
	return path, err == nil
}

// versionArguments are the arguments with which a program prints its version and
// is known to do nothing else.
func versionArguments(program string) []string {
	for arguments, programs := range map[string]string{
		"--version": "bash bun curl deno docker git gh jq node pandoc podman python python3 ruby uv aws clang cmake fzf gcc make psql rg rsync " +
			"sqlite3 tesseract wget yq zsh",
		"-v": "perl pdftotext pdftoppm", "-V": "ssh tmux", "version": "openssl go", "-version": "ffmpeg ffprobe java",
		"version --client": "kubectl", "-n --version": "php",
	} {
		if slices.Contains(strings.Fields(programs), program) {
			return strings.Fields(arguments)
		}
	}
	return nil
}

// Version runs a program for its version and returns the first number that it
// prints: "3.11.2". It runs in the root folder, where no project's files can
// influence it, with the environment of a script, for five seconds at most. The
// error is [ErrVersion] for most programs: few are known to do nothing else.
func (r *Runner) Version(ctx context.Context, program string) (string, error) {
	arguments := versionArguments(strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe"))
	if arguments == nil || !filepath.IsAbs(program) {
		return "", ErrVersion
	}
	dir := filepath.VolumeName(program) + string(os.PathSeparator)
	env := set(r.environment(dir), "GOTOOLCHAIN", "local") // Go would fetch another version of itself
	result, err := r.execute(ctx, supervisor.Command{Args: append([]string{program}, arguments...), Dir: dir, Env: env}, versionTime)
	if err != nil {
		return "", fmt.Errorf("running %s for its version: %w", filepath.Base(program), err)
	}
	if result.Interrupted {
		return "", context.Cause(ctx)
	}
	found := regexp.MustCompile(`\d+(\.\d+)+`).FindString(result.Stdout + "\n" + result.Stderr) // Java prints it there
	if found == "" || result.TimedOut {
		return "", ErrVersion
	}
	return found, nil
}
