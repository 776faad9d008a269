package loader

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"skills/internal/spec"
)

// maxEntries is how many names of one folder are read.
const maxEntries = 100_000

var (
	errNotFolder = errors.New("not a folder")
	errEntries   = errors.New("holds more than 100,000 entries, the rest was not read")
)

// readDir lists a folder, sorted by name. Entries read before an error are
// returned with it; errEntries is the error of a folder with too many. It never
// waits, even if dir has become a pipe.
func readDir(dir string) ([]fs.DirEntry, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return listDir(f)
}

// listDir is readDir for an open folder.
func listDir(f *os.File) ([]fs.DirEntry, error) {
	entries, err := f.ReadDir(maxEntries)
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case errors.Is(err, syscall.ENOTDIR):
		err = errNotFolder
	case len(entries) == maxEntries:
		if more, _ := f.ReadDir(1); len(more) > 0 {
			err = errEntries
		}
	}
	sortEntries(entries)
	return entries, err
}

func sortEntries(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

// openRegular opens a regular file inside root for reading; links that stay
// inside are followed. It checks the type before opening, so that no device is
// touched, and again afterwards in case the file was swapped; nonblock keeps a
// swapped-in pipe from blocking. Anything but a regular file is an
// *irregularError.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &irregularError{name, spec.KindName(info.Mode())}
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &irregularError{name, spec.KindName(info.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readUpTo reads to the end, at most limit bytes; size is how many the file
// system says there are.
func readUpTo(r io.Reader, size, limit int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(size, limit)+bytes.MinRead))
	_, err := b.ReadFrom(io.LimitReader(r, limit))
	return b.Bytes(), err
}

// irregularError is the error of opening something that is not a regular file.
type irregularError struct{ name, what string }

func (e *irregularError) Error() string { return e.name + " is " + e.what + ", not a file" }

// isLinkLoop reports links that lead to each other.
func isLinkLoop(err error) bool { return errors.Is(err, syscall.ELOOP) }

// resolve returns the absolute path of dir with links resolved.
func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// parent returns the folder that holds path, written as path is: the parent of
// "." is "..".
func parent(path string) string {
	path = filepath.Clean(path)
	if path == "." || path == ".." || strings.HasSuffix(path, string(filepath.Separator)+"..") {
		return filepath.Join(path, "..")
	}
	return filepath.Dir(path)
}
