// Package disk looks at files and folders that a user, or a repository, named:
// settings that are read whole, files that are taken for one run alone, and the
// repository that a folder lies in.
//
// It knows nothing of skills, and nothing of what stands in the files.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked says that another has the file that Lock was to take.
var ErrLocked = errors.New("is in use")

// Reasons for which Read and ReadRegular read nothing.
var (
	ErrIrregular = errors.New("is no regular file")
	ErrTooLarge  = errors.New("is too large")
)

// ReadRegular returns the content of a regular file of at most limit bytes. It
// looks before it opens, so that a pipe or a device is never waited for.
// Errors are ErrIrregular, ErrTooLarge, or the file system's: fs.ErrNotExist
// to errors.Is where there is nothing at the path.
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

// Read is ReadRegular for what a person named on the command line, where a pipe
// may be meant: it is read to its end.
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

// Reason is an error of the file system without the path, which the caller
// names.
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

// Repository returns the root of the repository that a folder lies in: the
// nearest folder with a .git entry from dir, an absolute path, upwards. ok is
// false where there is none.
func Repository(dir string) (root string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
