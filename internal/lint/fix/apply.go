package fix

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"skills/internal/loader"
)

// Apply writes the changes to the disk. Everything is looked at before
// anything is written: a file that is a symbolic link, is no regular file, or
// has changed since it was read is refused, and so is a new name that is taken.
//
// Each file is replaced in one step, by a complete copy beside it that has its
// mode. Nothing outside the skill's folder is touched. Several files are not
// replaced together: an error in the middle names the file at which it
// stopped, and those before it are mended. Errors are *Error.
func (c Changes) Apply() error {
	if c.Empty() {
		return nil
	}
	root, err := os.OpenRoot(c.Dir)
	if err != nil {
		return &Error{c.Dir, err}
	}
	defer root.Close()
	infos := make([]fs.FileInfo, len(c.Files))
	for i, f := range c.Files {
		if infos[i], err = unchanged(root, f); err == nil && f.NewName != "" {
			err = free(root, f, infos[i])
		}
		if err != nil {
			return &Error{filepath.Join(c.Dir, filepath.FromSlash(f.Name)), err}
		}
	}
	for i, f := range c.Files {
		if err := write(root, f, infos[i]); err != nil {
			return &Error{filepath.Join(c.Dir, filepath.FromSlash(f.Name)), err}
		}
	}
	return nil
}

// unchanged looks at a file before it is written: it must be regular, reached
// through no link, and hold what it held when it was read.
func unchanged(root *os.Root, f File) (fs.FileInfo, error) {
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return nil, fmt.Errorf("%q is no path inside the skill", f.Name)
	}
	part := ""
	var info fs.FileInfo
	for name := range strings.SplitSeq(f.Name, "/") {
		part = path.Join(part, name)
		var err error
		if info, err = root.Lstat(filepath.FromSlash(part)); err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, ErrLink
		}
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if f.After == nil && f.Before == nil {
		return info, nil // only its mode or name changes, and it was never read
	}
	now, err := read(root, f.Name)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(now, f.Before) {
		return nil, ErrChanged
	}
	return info, nil
}

func read(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, loader.MaxSkillFile+1))
}

// write replaces one file and gives it its new name and mode.
func write(root *os.Root, f File, info fs.FileInfo) error {
	name := filepath.FromSlash(f.Name)
	mode := info.Mode().Perm()
	if f.Executable {
		mode = executable(mode)
	}
	if !bytes.Equal(f.Before, f.After) {
		if err := replace(root, name, f.After, mode, info); err != nil {
			return err
		}
	} else if mode != info.Mode().Perm() {
		if err := root.Chmod(name, mode); err != nil {
			return err
		}
	}
	if f.NewName == "" {
		return nil
	}
	return rename(root, name, filepath.FromSlash(f.NewName))
}

// replace puts a new file in the place of an old one, which info describes, in
// one step: a reader sees the one or the other.
func replace(root *os.Root, name string, data []byte, mode fs.FileMode, info fs.FileInfo) (err error) {
	temporary := temporaryName(name)
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			root.Remove(temporary)
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = chmod(file, mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	// Writing took time: look once more whether it is still the same file.
	now, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(now, info) || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		return ErrChanged
	}
	return root.Rename(temporary, name)
}

// temporaryName is a free, hidden name in the folder of a file.
func temporaryName(name string) string {
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text()[:10]+".tmp")
}
