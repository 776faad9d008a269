package fix

// Fixes are written only to the files that were checked: a file that is a link, or that has
// changed since it was read, is left as it is. Each is replaced as a whole or not at all;
// all are examined before the first is written.

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
)

// Errors for a file that is not changed.
var (
	ErrLink     = errors.New("it is reached through a symbolic link, which is not followed for writing")
	ErrChanged  = errors.New("it has changed since it was read")
	ErrTaken    = errors.New("a file with the new name exists already")
	ErrReadOnly = errors.New("it is read-only")
)

// failed returns the error of fixing path. It omits the name of the temporary
// file from file system errors, which the user does not know.
func failed(path string, err error) error {
	hint := "check the permissions of the file and its folder, and the free space on the disk"
	switch {
	case errors.Is(err, ErrLink):
		hint = "fix the file that the link leads to, or replace the link by the file itself"
	case errors.Is(err, ErrChanged):
		hint = "run it again when nothing else writes to the file"
	case errors.Is(err, ErrReadOnly):
		hint = "make it writable for its owner"
	case errors.Is(err, ErrTaken):
		hint = "keep one of the two files"
	}
	return &fault.Error{Message: fmt.Sprintf("fixing %s: %v", path, files.Reason(err)), Hint: hint, Err: err}
}

// Apply writes the changes to disk. It checks everything before it writes: a
// file that is a symbolic link, is not a regular file, is read-only, or has
// changed since it was read is an error, and so is a new name that already exists.
//
// Each file is replaced atomically and keeps its mode and, if possible, its owner. Nothing outside the
// skill's folder is changed. The files are not replaced together: an error
// names the file at which it stopped, and those before it are fixed. Errors are
// *fault.Error.
func (c Changes) Apply() error {
	if c.Empty() {
		return nil
	}
	root, err := files.OpenFolder(c.Dir)
	if err != nil {
		return failed(c.Dir, err)
	}
	defer root.Close()
	infos := make([]fs.FileInfo, len(c.Files))
	for i, f := range c.Files {
		infos[i], err = unchanged(root, f)
		if err != nil {
			return failed(filepath.Join(c.Dir, filepath.FromSlash(f.Name)), err)
		}
	}
	for i, f := range c.Files {
		if err := write(root, f, infos[i]); err != nil {
			return failed(filepath.Join(c.Dir, filepath.FromSlash(f.Name)), err)
		}
	}
	return nil
}

// unchanged checks a file before it is written: it must be a regular file,
// reached through no link, with the content that was read. Its new name must
// not exist.
func unchanged(root *os.Root, f File) (fs.FileInfo, error) {
	part := ""
	var info fs.FileInfo
	for name := range strings.SplitSeq(f.Name, "/") {
		part = path.Join(part, name)
		var err error
		info, err = root.Lstat(filepath.FromSlash(part))
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, ErrLink
		}
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if info.Mode()&0o200 == 0 {
		return nil, ErrReadOnly
	}
	if f.NewName != "" && taken(root, f.NewName, info) {
		return nil, ErrTaken
	}
	if f.After == nil && f.Before == nil {
		return info, nil // only its mode or name changes, and it was never read
	}
	if info.Size() != int64(len(f.Before)) {
		return nil, ErrChanged
	}
	now, err := root.ReadFile(filepath.FromSlash(f.Name))
	if err == nil && !bytes.Equal(now, f.Before) {
		err = ErrChanged
	}
	return info, err
}

// taken reports whether name belongs to another file than info. On a
// case-insensitive disk, SKILL.md also opens skill.md.
func taken(root *os.Root, name string, info fs.FileInfo) bool {
	other, err := root.Lstat(name)
	return err == nil && !os.SameFile(other, info)
}

// write replaces one file, described by info, with its new name and mode.
func write(root *os.Root, f File, info fs.FileInfo) error {
	name := filepath.FromSlash(f.Name)
	mode := info.Mode().Perm()
	if f.Executable {
		mode = executable(mode)
	}
	if !bytes.Equal(f.Before, f.After) {
		// Writing takes time, so check again that it is the same file.
		same := func() error {
			now, err := root.Lstat(name)
			if err != nil {
				return err
			}
			if !os.SameFile(now, info) || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
				return ErrChanged
			}
			return nil
		}
		replaced, err := files.Replace(root, name, f.After, mode, true, same)
		if err != nil {
			return err
		}
		info = replaced
	} else if mode != info.Mode().Perm() {
		if err := root.Chmod(name, mode); err != nil {
			return err
		}
	}
	if f.NewName == "" {
		return nil
	}
	return rename(root, name, f.NewName, info)
}

// executable adds the executable bit for everyone who can read the file.
func executable(m fs.FileMode) fs.FileMode { return m | m&0o444>>2 }

// rename gives a file, described by info, a name that no other file has. Some
// disks reject a rename that only changes case, so it uses an intermediate
// name.
func rename(root *os.Root, from, to string, info fs.FileInfo) error {
	if taken(root, to, info) {
		return ErrTaken
	}
	if _, err := root.Lstat(to); err == nil {
		between := "." + from + "." + rand.Text()[:10] + ".tmp"
		if err := root.Rename(from, between); err != nil {
			return err
		}
		from = between
	}
	return root.Rename(from, to)
}
