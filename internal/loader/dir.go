package loader

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"skills/internal/safefile"
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
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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

// readIn reads up to limit bytes from offset on of a regular file inside root,
// and the file's size; links that stay inside are followed. Anything but a
// regular file is an *irregularError.
func readIn(root *os.Root, name string, offset, limit int64) (data []byte, size int64, err error) {
	name = filepath.FromSlash(name)
	f, info, err := safefile.OpenIn(root, name, func(info fs.FileInfo) error { return checkRegular(name, info) })
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	data = make([]byte, max(0, min(limit, info.Size()-offset)))
	n, err := f.ReadAt(data, offset)
	if errors.Is(err, io.EOF) {
		err = nil // it became shorter
	}
	return data[:n], info.Size(), err
}

func checkRegular(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &irregularError{name, spec.KindName(info.Mode())}
	}
	return nil
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

// parent returns the folder that holds path, in the same form: of "." it is "..".
func parent(path string) string {
	path = filepath.Clean(path)
	if path == "." || path == ".." || strings.HasSuffix(path, string(filepath.Separator)+"..") {
		return filepath.Join(path, "..")
	}
	return filepath.Dir(path)
}
