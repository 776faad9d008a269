package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged is returned by Copy for a file that changed while it was read.
var ErrChanged = errors.New("changed while it was read")

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
	if after, err := f.Stat(); err != nil || n != before.Size() || after.Size() != n || !after.ModTime().Equal(before.ModTime()) {
		return ErrChanged
	}
	return nil
}
