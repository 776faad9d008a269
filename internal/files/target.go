package files

// A file that the user names for output is either complete or as it was. It is written next
// to its place and renamed, in the folder that was there at the start: by the time of
// writing, a program may have put a link in its way. Pipes and devices are written in place.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"skills/internal/fault"
	"skills/internal/printable"
)

// Target is a file that is written later, after programs that may have changed
// its folder. Its location is fixed when it is opened, and links that appear
// afterwards are not followed.
type Target struct {
	path    string
	folder  *os.Root    // contains the file; nil if it is not a regular file
	stream  *os.File    // an open file of this process that the path refers to, such as /dev/stdout; or nil
	info    fs.FileInfo // of the file that existed or was created when the target was opened
	mode    fs.FileMode
	existed bool
	text    bool          // the file was not empty
	empty   bool          // created by OpenTarget and not yet written
	grace   time.Duration // how long to wait for a pipe's reader
}

// pipeGrace is how long a write waits for a pipe's reader.
const pipeGrace = 5 * time.Second

// Errors for a target that is not written.
var (
	ErrReplaced = errors.New("it was replaced")
	ErrDangling = errors.New("it is a link to a file that does not exist")
	ErrUnread   = errors.New("nothing is reading from the pipe")
	// ErrMoved and ErrOverwritten are returned for a file that was written
	// although its folder was moved, or the file itself was replaced, since the
	// target was opened.
	ErrMoved       = errors.New("its folder was moved during the run; the file is in the moved folder")
	ErrOverwritten = errors.New("it was replaced during the run, and the replacement was overwritten")
)

// OpenTarget fixes the location of the file at path. A missing file is created
// empty with mode, so that no other user can create it. The caller must call
// Close. Errors are the file system's, without the path.
func OpenTarget(path string, mode fs.FileMode) (*Target, error) {
	if fd, ok := descriptor(path); ok {
		file, err := duplicate(fd)
		return &Target{path: path, stream: file}, Reason(err)
	}
	path = Resolved(path)
	t := &Target{path: path, grace: pipeGrace, mode: mode}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		t.info = info
		return t, nil
	case err == nil:
		t.mode, t.existed, t.text = info.Mode().Perm(), true, info.Size() > 0
	case !errors.Is(err, fs.ErrNotExist):
		return nil, Reason(err)
	}
	t.folder, err = os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, Reason(err)
	}
	removeStale(t.folder, t.name())
	if t.existed {
		err = t.check()
	} else {
		err = t.reserve()
	}
	if err != nil {
		t.folder.Close()
		return nil, err
	}
	return t, nil
}

// descriptor returns the open file of this process that a path refers to,
// directly or through links: /dev/stdout, /dev/fd/3, /proc/self/fd/1. Opening
// the path would start at offset 0 and overwrite what is in it.
func descriptor(path string) (fd int, ok bool) {
	for range 10 { // links
		path = filepath.Clean(path)
		switch dir, name := filepath.Split(path); {
		case path == "/dev/stdout":
			return 1, true
		case path == "/dev/stderr":
			return 2, true
		case dir == "/dev/fd/", dir == "/proc/self/fd/", dir == fmt.Sprintf("/proc/%d/fd/", os.Getpid()):
			fd, err := strconv.Atoi(name)
			return fd, err == nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return 0, false
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return 0, false
}

// check examines the existing file, and whether another can replace it.
func (t *Target) check() (err error) {
	t.info, err = t.folder.Lstat(t.name())
	if err != nil {
		return Reason(err)
	}
	if !t.info.Mode().IsRegular() {
		return ErrReplaced
	}
	stop := errors.New("tried")
	_, err = Replace(t.folder, t.name(), nil, t.mode, true, func() error { return stop })
	if errors.Is(err, stop) {
		return nil
	}
	return Reason(err)
}

// reserve creates the file if it does not exist.
func (t *Target) reserve() error {
	file, err := t.folder.OpenFile(t.name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.mode)
	if errors.Is(err, fs.ErrExist) {
		return ErrDangling
	}
	if err != nil {
		return Reason(err)
	}
	t.empty = true
	t.info, err = file.Stat()
	return Reason(errors.Join(err, file.Close()))
}

func (t *Target) name() string { return filepath.Base(t.path) }

// HadText reports whether the file was non-empty when it was opened.
func (t *Target) HadText() bool { return t.text }

// Open opens the current file. It returns nil if there is no such regular file
// or it is empty.
func (t *Target) Open() (*os.File, error) {
	if t.folder == nil {
		return nil, nil
	}
	if info, err := t.folder.Lstat(t.name()); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, nil
	}
	file, err := t.folder.Open(t.name())
	return file, Reason(err)
}

// Write atomically replaces the file. It writes to a pipe or a device in place,
// if it is the one that was opened; the error is ErrUnread if nothing reads a
// pipe. An open file of this process is written at its current offset.
func (t *Target) Write(ctx context.Context, data []byte) error {
	if t.stream != nil {
		_, err := Wait(ctx, "writing "+t.name(), func() (int, error) { return t.stream.Write(data) })
		return Reason(err)
	}
	if t.folder == nil {
		return Reason(t.writePipe(ctx, data))
	}
	before, err := t.folder.Lstat(t.name())
	replaced := err != nil || !os.SameFile(before, t.info) || before.Size() != t.info.Size()
	written, err := Replace(t.folder, t.name(), data, t.mode, t.existed, nil)
	if err != nil {
		return Reason(err)
	}
	t.empty = false
	if now, err := os.Lstat(t.path); err != nil || !os.SameFile(written, now) {
		return ErrMoved
	}
	if replaced {
		return ErrOverwritten
	}
	t.info = written
	return nil
}

// writePipe writes to a file that must not be replaced. It waits for a slow
// reader until the context ends; if that has already ended, it waits for the
// grace period.
func (t *Target) writePipe(ctx context.Context, data []byte) error {
	if now, err := os.Stat(t.path); err != nil || !os.SameFile(t.info, now) {
		return ErrReplaced // tested before opening, because opening can have side effects
	}
	over := ctx.Err() != nil
	if over {
		ctx = context.WithoutCancel(ctx)
	}
	soon, cancel := context.WithTimeoutCause(ctx, t.grace, ErrUnread)
	defer cancel()
	if over {
		ctx = soon
	}
	file, err := Wait(soon, "opening "+t.name(), func() (*os.File, error) { return os.OpenFile(t.path, os.O_WRONLY, 0) })
	if err != nil {
		return err
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(t.info, now) {
		return errors.Join(ErrReplaced, file.Close())
	}
	_, err = Wait(ctx, "writing "+t.name(), func() (int, error) {
		defer file.Close()
		return file.Write(data)
	})
	return err
}

// Close releases the target. It removes a file that OpenTarget created and
// nothing was written to.
func (t *Target) Close() error {
	if t.stream != nil {
		return Reason(t.stream.Close())
	}
	if t.folder == nil {
		return nil
	}
	defer t.folder.Close()
	if !t.empty {
		return nil
	}
	if now, err := t.folder.Lstat(t.name()); err == nil && os.SameFile(t.info, now) && now.Size() == 0 {
		return Reason(t.folder.Remove(t.name()))
	}
	return nil
}

// Replace atomically writes data to the file name below root. A link at name is
// replaced, not followed. ready, if not nil, is called once the new content is
// on disk; if it returns an error, nothing is replaced. The umask applies to
// mode unless exact is set, which also keeps the owner if possible. It returns
// the new file's info.
func Replace(root *os.Root, name string, data []byte, mode fs.FileMode, exact bool, ready func() error) (info fs.FileInfo, err error) {
	temporary := filepath.Join(filepath.Dir(name), temporaryName(filepath.Base(name)))
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			root.Remove(temporary)
		}
	}()
	_, err = file.Write(data)
	if old, statErr := root.Lstat(name); exact && statErr == nil {
		keepOwner(file, old)
	}
	if err == nil && exact && runtime.GOOS != "windows" { // Windows only has a read-only mode
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		info, err = file.Stat()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if ready != nil {
		if err := ready(); err != nil {
			return nil, err
		}
	}
	return info, root.Rename(temporary, name)
}

// Write atomically replaces the file at path. It follows a link and keeps the
// mode of an existing file. It writes to a pipe or a device in place. Errors
// are the file system's, without the path.
func Write(ctx context.Context, path string, data []byte) error {
	t, err := OpenTarget(path, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(t.Write(ctx, data), t.Close())
}

// Save is like Write, but its error is an *fault.Error.
func Save(ctx context.Context, path string, data []byte) error {
	if err := Write(ctx, path, data); err != nil {
		return &fault.Error{Message: fmt.Sprintf("writing %s: %v", path, Reason(err)), Hint: "check the folder and its permissions", Err: err}
	}
	return nil
}

// SaveJSON is like [Save] for a value in the form of [printable.WriteJSON].
func SaveJSON(ctx context.Context, path string, v any) error {
	var text bytes.Buffer
	if err := printable.WriteJSON(&text, v); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return Save(ctx, path, text.Bytes())
}
