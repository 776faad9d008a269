package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"skills/internal/disk"
)

// writeFile replaces a file in one step: readers see the old one or the new
// one, never a part. A link is followed, and an old file's mode kept. What is
// no regular file (a pipe, /dev/stderr) is written to as it is.
func writeFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeInto(path, data)
	}
	tmp, path, err := beside(path)
	if err != nil {
		return disk.Reason(err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return disk.Reason(err)
	}
	return disk.Reason(os.Rename(tmp.Name(), path))
}

// tryFile reports as an error what would keep writeFile from replacing the file
// by a small one. It leaves nothing behind.
func tryFile(path string) error {
	tmp, _, err := beside(path)
	if err != nil {
		return disk.Reason(err)
	}
	return disk.Reason(errors.Join(tmp.Close(), os.Remove(tmp.Name())))
}

// beside makes a file next to the one at path, with its mode, to take its place.
// real is that file itself, where path is a link to it.
func beside(path string) (tmp *os.File, real string, err error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	mode := fs.FileMode(0o666) // less what the process's mask takes away
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err = os.OpenFile(fmt.Sprintf("%s.%d.tmp", path, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return tmp, path, err
}

// writeInto writes to something that must not be replaced.
func writeInto(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return disk.Reason(err)
	}
	_, err = f.Write(data)
	return disk.Reason(errors.Join(err, f.Close()))
}

// readBounded reads a file, or a pipe that a person named, of at most limit
// bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	data, err := disk.Read(path, limit)
	if errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, err
}

// waited returns what f does, which may wait for ever: a pipe may never be
// written to. Where the context ends before, it is left alone, and the error is
// the context's cause and an *unendedError that names what was waited for.
func waited[T any](ctx context.Context, what string, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var out outcome
		out.err = caught(func() (err error) { out.value, err = f(); return err })
		done <- out
	}()
	select {
	case out := <-done:
		return out.value, out.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("%w: %w", context.Cause(ctx), &unendedError{what})
	}
}

// unendedError says what had not ended when a run had to; it is told beside the
// limit that ended the wait.
type unendedError struct{ what string }

func (e *unendedError) Error() string { return e.what + " had not ended by then" }
