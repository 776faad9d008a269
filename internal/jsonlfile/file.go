// Package jsonlfile appends lines of JSON to a file, each with one write that is
// on the disk before anything follows from it. A line that a killed process left
// incomplete is removed; a file that somebody else emptied, rewrote, replaced or
// moved is an error, and what was written to it is kept.
package jsonlfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"skills/internal/printable"
	"skills/internal/safefile"
)

// Options say how a file is used.
type Options struct {
	// Shared lets several processes append to the file; it is locked for each
	// line then. Otherwise it is locked until Close, and removed again if
	// nothing was written to a new one.
	Shared bool
	// Torn reports whether an incomplete last line is one of ours, so that it
	// can be removed; nil means that all are.
	Torn func(line []byte) bool
	// Mask changes lines before they are written, as to hide keys; it returns as
	// many lines as it is given. Nil changes nothing.
	Mask             func(lines []byte) []byte
	MaxLine, MaxFile int64 // bytes
}

// How often, and after which pauses, a shared file's lock is tried.
const (
	lockTries = 1000
	lockPause = 5 * time.Millisecond
)

// File is an open file. Its methods must not be called concurrently.
type File struct {
	opt     Options
	path    string // as it was given
	real    string // links resolved
	created bool
	folder  *os.Root
	file    *os.File
	sync    func() error
	wait    int  // tries for a lock
	held    bool // an exclusive file's lock

	size    int64     // up to here the file is as we know it
	bare    bool      // the last line lacks its line feed
	written []segment // what this process knows of the content
	err     error     // of tampering, once it was found
}

// segment is a part of the file that must not change.
type segment struct {
	at   int64
	data []byte
}

// Open opens the file at path, or creates it. It changes nothing in a file that
// exists; call Repair before Append. The error is an *Error.
func Open(path string, opt Options) (*File, error) {
	for {
		f, err := open(path, opt)
		if err != nil {
			return nil, err
		}
		if err := f.lock(); err != nil {
			return nil, errors.Join(err, f.release())
		}
		ours, err := f.file.Stat()
		now, nerr := os.Stat(path)
		if f.unlock(); err == nil && nerr == nil && os.SameFile(ours, now) {
			return f, nil
		}
		// Whoever had it removed it between our opening and our lock.
		if rerr := f.release(); err != nil || rerr != nil {
			return nil, openFailed(path, errors.Join(err, rerr))
		}
	}
}

// open opens the file itself. It checks the type first, so that it never waits
// for a pipe.
func open(path string, opt Options) (f *File, err error) {
	f = &File{opt: opt, path: path, real: path, wait: 1}
	if opt.Shared {
		f.wait = lockTries
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, irregular(path)
	}
	f.created = errors.Is(err, fs.ErrNotExist)
	if f.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNonblock, 0o600); err != nil {
		return nil, openFailed(path, err)
	}
	f.sync = f.file.Sync
	defer func() {
		if err != nil {
			f.file.Close()
		}
	}()
	if info, err = f.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, irregular(path)
	}
	if f.real, err = filepath.EvalSymlinks(path); err != nil {
		return nil, openFailed(path, err)
	}
	if f.folder, err = os.OpenRoot(filepath.Dir(f.real)); err != nil {
		return nil, openFailed(path, err)
	}
	return f, nil
}

func irregular(path string) error {
	return &Error{Path: path, Message: "it is not a regular file", Help: "name a regular file", Err: ErrForeign}
}

// lock takes the file, and waits for a moment if it is shared. An exclusive
// file stays locked until it is closed.
func (f *File) lock() error {
	for i := 0; !f.held; i++ {
		err := safefile.Lock(f.file)
		switch {
		case err == nil:
			f.held = !f.opt.Shared
			return nil
		case !errors.Is(err, safefile.ErrLocked):
			return f.failed("locked", err, "use a file on a local disk")
		case i+1 < f.wait:
			time.Sleep(lockPause)
		case f.opt.Shared:
			return &Error{Path: f.path, Message: fmt.Sprintf("another run has kept it for itself for %s", time.Duration(f.wait)*lockPause), Help: "end that run, or use another file", Err: ErrInUse}
		default:
			return &Error{Path: f.path, Message: "another run is using it", Help: "wait for it to end, or use another file", Err: ErrInUse}
		}
	}
	return nil
}

// unlock lets others append to a shared file.
func (f *File) unlock() {
	if f.opt.Shared {
		safefile.Unlock(f.file)
	}
}

// Read returns the content, at most limit bytes of it.
func (f *File) Read(limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.NewSectionReader(f.file, 0, limit))
	if err != nil {
		return nil, f.failed("read", err, "check the permissions")
	}
	return data, nil
}

// Append writes each record as a line of JSON, all by one write, and waits until
// they are on the disk. After an error of the disk the file is as it was. An
// ErrTampered stays: nothing is written any more. The warning is that of Repair,
// about what other processes left in a shared file.
func (f *File) Append(records ...any) (warning string, err error) {
	data, err := f.encode(records)
	if err != nil {
		return "", err
	}
	if f.file == nil {
		return "", &Error{Path: f.path, Message: "it is not open for writing", Help: "open it again"}
	}
	if f.err != nil {
		return "", f.err
	}
	if err := f.lock(); err != nil {
		return "", err
	}
	defer f.unlock()
	if f.err = f.verify(false, data); f.err != nil {
		return "", f.err
	}
	if f.opt.Shared {
		if warning, err = f.repair(); err != nil {
			return warning, err
		}
	}
	if f.opt.MaxFile > 0 && f.size+int64(len(data)) > f.opt.MaxFile {
		text := fmt.Sprintf("%v: it would become larger than %d MiB", ErrFull, f.opt.MaxFile>>20)
		return warning, &Error{Path: f.path, Message: text, Help: "what it holds is complete; use another file", Err: ErrFull}
	}
	if f.bare {
		data = append([]byte("\n"), data...)
	}
	_, err = f.file.WriteAt(data, f.size)
	if err == nil {
		err = f.sync()
	}
	if err != nil {
		f.file.Truncate(f.size) // the error that matters is that of the write
		return warning, f.failed("written", err, "what it holds is complete; make room, or use another file")
	}
	if f.size == 0 {
		syncFolder(filepath.Dir(f.real))
	}
	f.note(data)
	return warning, nil
}

// note remembers what was appended.
func (f *File) note(data []byte) {
	last := len(f.written) - 1
	if last >= 0 && f.written[last].at+int64(len(f.written[last].data)) == f.size {
		f.written[last].data = append(f.written[last].data, data...)
	} else {
		f.written = append(f.written, segment{f.size, data})
	}
	f.size, f.bare = f.size+int64(len(data)), false
}

func (f *File) encode(records []any) ([]byte, error) {
	var out []byte
	for _, r := range records {
		line, err := printable.JSON(r)
		if err != nil {
			return nil, fmt.Errorf("encoding a line of %s: %w", f.path, err)
		}
		if n := int64(len(line)); f.opt.MaxLine > 0 && n > f.opt.MaxLine {
			text := fmt.Sprintf("%v: one line would have %d bytes, and %d are allowed", ErrFull, n, f.opt.MaxLine)
			return nil, &Error{Path: f.path, Message: text, Help: "what it holds is complete; use another file", Err: ErrFull}
		}
		out = append(append(out, line...), '\n')
	}
	if f.opt.Mask != nil {
		out = f.opt.Mask(out)
	}
	return out, nil
}

// Close verifies the file once more and releases it. Tampering that an earlier
// error reported is not reported again.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := error(nil)
	if f.err == nil {
		err = f.verify(true, nil)
	}
	remove := false
	if !f.opt.Shared && f.created && err == nil && f.err == nil {
		info, serr := f.file.Stat()
		if remove = serr == nil && info.Size() == 0; remove && f.folder.Remove(filepath.Base(f.real)) == nil {
			remove = false // Windows removes nothing that is open
		}
	}
	cerr := f.file.Close()
	if remove {
		f.folder.Remove(filepath.Base(f.real))
	}
	f.folder.Close()
	f.file = nil
	if err == nil && cerr != nil {
		err = f.failed("closed", cerr, "check what it holds")
	}
	return err
}

// release closes a file that is not used.
func (f *File) release() error {
	return errors.Join(f.folder.Close(), f.file.Close())
}
