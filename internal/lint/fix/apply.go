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
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/safefile"
)

// Reasons for which a file is not changed.
var (
	ErrLink    = errors.New("it is reached through a symbolic link, which is not followed for writing")
	ErrChanged = errors.New("it has changed since it was read")
	ErrTaken   = errors.New("a file with the new name exists already")
)

// Error is a file, or a skill's folder, that could not be fixed.
type Error struct {
	Path string // as findings name it
	Err  error  // one of the reasons above, or of the file system
}

// Error names the file and the reason. Of the file system's errors only the
// reason is shown: nobody knows the name of the temporary file in them.
func (e *Error) Error() string {
	return fmt.Sprintf("fixing %s: %v", e.Path, safefile.Reason(e.Err))
}

// Hint says what to do about it.
func (e *Error) Hint() string {
	switch {
	case errors.Is(e.Err, ErrLink):
		return "fix the file that the link leads to, or replace the link by the file itself"
	case errors.Is(e.Err, ErrChanged):
		return "run it again when nothing else writes to the file"
	case errors.Is(e.Err, ErrTaken):
		return "keep one of the two files"
	}
	return "check the permissions of the file and its folder, and the free space on the disk"
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Apply writes the changes to the disk. Everything is checked before anything
// is written: a file that is a symbolic link, is no regular file, or has
// changed since it was read is refused, and so is a new name that is taken.
//
// Each file is replaced in one step and keeps its mode. Nothing outside the
// skill's folder is touched. Several files are not replaced together: an error
// in the middle names the file at which it stopped, and those before it are
// fixed. Errors are *Error.
func (c Changes) Apply() error {
	if c.Empty() {
		return nil
	}
	root, err := safefile.OpenFolder(c.Dir)
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

// unchanged checks a file before it is written: it must be regular, reached
// through no link, and hold what it held when it was read.
func unchanged(root *os.Root, f File) (fs.FileInfo, error) {
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return nil, fmt.Errorf("%q is not a path inside the skill", f.Name)
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

// write replaces one file, which info describes, and gives it its new name and
// mode.
func write(root *os.Root, f File, info fs.FileInfo) error {
	name := filepath.FromSlash(f.Name)
	mode := info.Mode().Perm()
	if f.Executable {
		mode = executable(mode)
	}
	if !bytes.Equal(f.Before, f.After) {
		// Writing takes time: check again whether it is still the same file.
		same := func() error {
			now, err := root.Lstat(name)
			if err == nil && (!os.SameFile(now, info) || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())) {
				err = ErrChanged
			}
			return err
		}
		if _, err := safefile.Replace(root, name, f.After, mode, true, same); err != nil {
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

// executable adds the executable bit for everyone who can read the file.
func executable(m fs.FileMode) fs.FileMode { return m | m&0o444>>2 }

// free reports with ErrTaken that a file's new name is in use. The folder's
// list decides: a case-insensitive disk finds SKILL.md where the file is called
// skill.md.
func free(root *os.Root, f File, info fs.FileInfo) error {
	to := filepath.FromSlash(f.NewName)
	if !filepath.IsLocal(to) || filepath.Dir(to) != filepath.Dir(filepath.FromSlash(f.Name)) {
		return errors.New("it cannot be moved into another folder")
	}
	dir, err := root.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	other, err := root.Lstat(to)
	if slices.Contains(names, filepath.Base(to)) || err == nil && !os.SameFile(other, info) {
		return ErrTaken
	}
	return nil
}

// rename gives a file a name that no other file has. On a case-insensitive
// disk it goes through a third name, because some disks refuse a rename that
// only changes the case.
func rename(root *os.Root, from, to string) error {
	if _, err := root.Lstat(to); err != nil {
		return root.Rename(from, to)
	}
	between := filepath.Join(filepath.Dir(from), "."+filepath.Base(from)+"."+rand.Text()[:10]+".tmp")
	if err := root.Rename(from, between); err != nil {
		return err
	}
	if _, err := root.Lstat(to); err == nil {
		// It was another file after all, created since the check.
		return errors.Join(ErrTaken, root.Rename(between, from))
	}
	if err := root.Rename(between, to); err != nil {
		return errors.Join(err, root.Rename(between, from))
	}
	return nil
}
