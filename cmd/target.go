package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"skills/internal/agent"
	"skills/internal/disk"
)

// target is a file that is written when a run is over. Scripts have run by
// then, and we may do more than they: so its place is fixed before the first of
// them, and no link that one has left there is followed.
type target struct {
	path   string      // of the file itself: links are followed when it is opened, and never again
	folder *os.Root    // that it lies in; nil for what is no regular file
	there  fs.FileInfo // what lies there
	mode   fs.FileMode
	linked bool          // a link was named
	old    bool          // there was text in it
	empty  bool          // it was made by openTarget, and nothing was written yet
	grace  time.Duration // how long nobody may take what is written to a pipe
}

// openTarget fixes the place of a file. Where there is none it is made, empty,
// so that nobody else can make it, and confined scripts find it covered. The
// target must be closed. An error is the file system's, without the path.
func openTarget(path string) (*target, error) {
	named, err := os.Lstat(path)
	linked := err == nil && named.Mode()&fs.ModeSymlink != 0
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	t := &target{path: path, linked: linked, grace: agent.Grace, mode: 0o600} // it holds a conversation, as a session does
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		t.there = info
		return t, nil
	case err == nil:
		t.mode, t.old = info.Mode().Perm(), info.Size() > 0
	case !errors.Is(err, fs.ErrNotExist):
		return nil, disk.Reason(err)
	}
	if t.folder, err = os.OpenRoot(filepath.Dir(path)); err != nil {
		return nil, disk.Reason(err)
	}
	if info == nil {
		err = t.reserve()
	} else if t.there, err = t.folder.Lstat(filepath.Base(path)); err == nil && !t.there.Mode().IsRegular() {
		err = errMoved
	}
	if err != nil {
		t.folder.Close()
		return nil, err
	}
	return t, nil
}

// Reasons of our own for what is not written: something has come into the way of
// a target, it is a link that leads to nothing, nobody reads it.
var (
	errMoved    = errors.New("something else was put into its place")
	errDangling = errors.New("it is a link to a file that is not there")
	errUnread   = errors.New("nobody reads it")
)

// reserve makes the file where there is nothing.
func (t *target) reserve() error {
	file, err := t.folder.OpenFile(filepath.Base(t.path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.mode)
	if errors.Is(err, fs.ErrExist) {
		return errDangling
	}
	if err != nil {
		return disk.Reason(err)
	}
	t.empty = true
	t.there, err = file.Stat()
	return disk.Reason(errors.Join(err, file.Close()))
}

// beside opens what lies next to the file, its name longer by suffix; nil where
// that is no file with text in it.
func (t *target) beside(suffix string) *os.File {
	name := filepath.Base(t.path) + suffix
	if info, err := t.folder.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	file, err := t.folder.Open(name)
	if err != nil {
		return nil
	}
	return file
}

// write replaces the file, or the one beside it with a suffix, in one step:
// readers see the old one or the new one, never a part. What is no regular file (a pipe, /dev/stderr) is written to as
// it is, if it is the one that was there when it was opened, and given up where
// nobody takes it. Where the folder was moved meanwhile, the file is in it, and
// an error says so.
func (t *target) write(ctx context.Context, suffix string, data []byte) error {
	if t.folder == nil {
		return t.into(ctx, data)
	}
	// A name that nobody can have taken.
	name := filepath.Base(t.path) + suffix
	fresh := name + "." + rand.Text() + ".tmp"
	file, err := t.folder.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.mode)
	if err != nil {
		return disk.Reason(err)
	}
	defer t.folder.Remove(fresh)
	_, err = file.Write(data)
	ours, serr := file.Stat()
	if err = errors.Join(err, serr, file.Close()); err != nil {
		return disk.Reason(err)
	}
	if err := t.folder.Rename(fresh, name); err != nil {
		return disk.Reason(err)
	}
	t.empty = false
	if now, err := os.Lstat(t.path + suffix); err != nil || !os.SameFile(ours, now) {
		return errors.New("its folder was moved during the run, and it is in there")
	}
	return nil
}

// close lets go of the place. A file that was made and never written is taken
// away again.
func (t *target) close() error {
	if t.folder == nil {
		return nil
	}
	defer t.folder.Close()
	if !t.empty {
		return nil
	}
	name := filepath.Base(t.path)
	if now, err := t.folder.Lstat(name); err == nil && os.SameFile(t.there, now) && now.Size() == 0 {
		return disk.Reason(t.folder.Remove(name))
	}
	return nil
}
