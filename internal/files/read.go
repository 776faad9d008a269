// Package files reads, replaces and locks files named by a user or a
// repository. It does not follow links that appear later or wait for pipes.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"skills/internal/fault"
)

// ErrLocked is returned by Lock for a file that another process has locked.
var ErrLocked = errors.New("is in use")

// Errors of Read and ReadRegular.
var (
	ErrIrregular = errors.New("is not a regular file")
	ErrTooLarge  = errors.New("is too large")
)

// ErrChanged is returned by Copy for a file that changed while it was read.
var ErrChanged = errors.New("changed while it was read")

// ReadRegular returns the content of a regular file of at most limit bytes. It
// checks the type before opening, so that it never waits for a pipe or a
// device. Errors are ErrIrregular, ErrTooLarge, or the file system's.
func ReadRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrIrregular
	}
	return Read(path, limit)
}

// OpenPlain opens a regular file that is not a link, so that the file is in the folder of
// its path. It is checked before opening, so that no pipe or device is opened, and again
// afterwards. Other types of files, and swapped ones, are ErrIrregular.
func OpenPlain(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !before.Mode().IsRegular():
		return nil, nil, ErrIrregular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || !os.SameFile(before, info) {
		f.Close()
		return nil, nil, ErrIrregular
	}
	return f, info, nil
}

// Read is like ReadRegular for a path on the command line, which may be a pipe:
// it is read to its end.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, ErrTooLarge
	}
	return data, nil
}

// Wait returns the result of f, which may block forever on a pipe. If ctx ends
// first, f is abandoned, and the error wraps the context's cause and an
// *UnfinishedError with the given description.
func Wait[T any](ctx context.Context, what string, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case out := <-done:
		return out.value, out.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("%w: %w", context.Cause(ctx), &UnfinishedError{what})
	}
}

// UnfinishedError names an operation that had not ended when the context did.
type UnfinishedError struct{ What string }

func (e *UnfinishedError) Error() string { return e.What + " did not end in time" }

// Reason returns an error of the file system without the path, which the caller
// adds.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Absolute returns a path that is relative to the folder dir as a clean absolute one.
func Absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Shown returns a path for messages: relative to dir if it is below it.
func Shown(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Resolved returns a path with links resolved. If the file is missing, only
// those of its folder are.
func Resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// SameTarget reports whether two targets, which may not exist yet, are one
// regular file or one descriptor of this process. Others can be shared.
func SameTarget(a, b string) bool {
	fdA, isA := descriptor(a)
	fdB, isB := descriptor(b)
	if isA || isB {
		return isA && isB && fdA == fdB
	}
	for _, path := range []*string{&a, &b} {
		if abs, err := filepath.Abs(*path); err == nil {
			*path = abs
		}
		*path = Resolved(*path)
	}
	info, err := os.Stat(a)
	return a == b && (err != nil || info.Mode().IsRegular())
}

// OpenFolder opens a folder as a root. Unlike os.OpenRoot it never blocks: if
// dir has become a pipe, it returns an error.
func OpenFolder(dir string) (*os.Root, error) {
	return os.OpenRoot(filepath.Clean(dir) + string(filepath.Separator) + ".")
}

// OpenIn opens a regular file inside root, following links that stay inside.
// check can reject the file: it is called before opening, so that no device is
// opened, and again afterwards, in case the file was swapped. A swapped-in pipe
// does not block.
func OpenIn(root *os.Root, name string, check func(fs.FileInfo) error) (*os.File, fs.FileInfo, error) {
	info, err := root.Stat(name)
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = check(info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Copy writes the regular file at a slash path inside root to w. It returns
// ErrTooLarge for files of more than limit bytes and ErrIrregular for other
// types of files. Errors do not contain the file's name.
func Copy(w io.Writer, root *os.Root, name string, limit int64) error {
	f, before, err := OpenIn(root, filepath.FromSlash(name), func(info fs.FileInfo) error {
		switch {
		case !info.Mode().IsRegular():
			return ErrIrregular
		case info.Size() > limit:
			return ErrTooLarge
		}
		return nil
	})
	if err != nil {
		return Reason(err)
	}
	defer f.Close()
	n, err := io.Copy(w, io.LimitReader(f, limit+1))
	if err != nil {
		return Reason(err)
	}
	after, err := f.Stat()
	if err != nil || n != before.Size() {
		return ErrChanged
	}
	if after.Size() != n || !after.ModTime().Equal(before.ModTime()) {
		return ErrChanged
	}
	return nil
}

// Load is like ReadRegular, but its errors are *fault.Error. missing is the hint for
// a file that does not exist, wrong the hint for any other error.
func Load(path string, limit int64, missing, wrong string) ([]byte, error) {
	data, err := ReadRegular(path, limit)
	if err == nil {
		return data, nil
	}
	e := &fault.Error{Path: path, Message: fmt.Sprintf("cannot be read: %v", Reason(err)), Hint: "check the permissions", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Message, e.Hint = "does not exist", missing
	case errors.Is(err, ErrIrregular):
		e.Message, e.Hint = err.Error(), wrong
	case errors.Is(err, ErrTooLarge):
		e.Message, e.Hint = fmt.Sprintf("is larger than %d KiB", limit>>10), wrong
	}
	return nil, e
}
