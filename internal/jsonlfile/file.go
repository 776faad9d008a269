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
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"skills/internal/printable"
	"skills/internal/safefile"
)

// Reasons for which a file is not used, to be tested with [errors.Is].
var (
	ErrInUse    = errors.New("another run is using it")
	ErrForeign  = errors.New("it is not such a file")
	ErrDamaged  = errors.New("it is damaged")
	ErrFull     = errors.New("it is full")
	ErrTampered = errors.New("it was changed by somebody else")
)

// Error is a file that cannot be used; Err is a reason above, or the file system's.
type Error = safefile.Error

// Options say how a file is used. Functions may be nil.
type Options struct {
	// Shared lets several processes append to the file; it is locked for each
	// line then. Otherwise it is locked until Close, and removed again if
	// nothing was written to a new one.
	Shared bool
	// Check refuses content that is not the caller's, before anything is changed.
	Check func(content io.Reader) error
	// Mask changes lines before they are written, as to hide keys; it returns as
	// many lines as it is given.
	Mask             func(lines []byte) []byte
	Warn             func(message string) // receives what was repaired
	MaxLine, MaxFile int64                // bytes
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
	file    *os.File // nil once it was closed
	sync    func() error
	tries   int // for a lock

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

// Open opens the file at path, or creates it, and removes an incomplete last
// line. The error is an *Error or that of Check, and the file is as it was.
func Open(path string, opt Options) (*File, error) {
	f := &File{opt: opt, path: path, tries: 1}
	if opt.Shared {
		f.tries = lockTries
	}
	info, err := os.Stat(path) // before it is opened, which can wait for a pipe
	f.created = errors.Is(err, fs.ErrNotExist)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Message: "it is not a regular file", Help: "name a regular file", Err: ErrForeign}
	}
	if f.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK, 0o600); err != nil {
		return nil, openFailed(path, err)
	}
	f.sync = f.file.Sync
	if err = f.prepare(); err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	return f, nil
}

// prepare locks the file, checks its content and repairs its end.
func (f *File) prepare() error {
	if err := f.lock(); err != nil {
		return err
	}
	defer f.unlock()
	var err error
	if f.real, err = filepath.EvalSymlinks(f.path); err == nil && !f.inPlace() {
		err = ErrInUse // whoever had it removed it until we had the lock
	}
	if err != nil {
		return openFailed(f.path, err)
	}
	if f.opt.Check != nil {
		if err := f.opt.Check(io.NewSectionReader(f.file, 0, math.MaxInt64)); err != nil {
			return err
		}
	}
	if err := f.repair(); err != nil || f.opt.Shared {
		return err
	}
	data := make([]byte, f.size)
	f.written = []segment{{0, data}}
	if _, err := f.file.ReadAt(data, 0); err != nil {
		return f.failed("read", err, "check the permissions")
	}
	return nil
}

// lock takes the file, and waits for a moment if it is shared.
func (f *File) lock() error {
	for try := 1; ; try++ {
		err := safefile.Lock(f.file)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, safefile.ErrLocked):
			return f.failed("locked", err, "use a file on a local disk")
		case try >= f.tries:
			return &Error{Path: f.path, Message: ErrInUse.Error(), Help: "wait for it to end, or use another file", Err: ErrInUse}
		}
		time.Sleep(lockPause)
	}
}

func (f *File) unlock() {
	if f.opt.Shared {
		safefile.Unlock(f.file)
	}
}

// Append writes each record as a line of JSON, all by one write, and waits until
// they are on the disk. After an error of the disk the file is as it was. An
// ErrTampered stays: nothing is written any more.
func (f *File) Append(records ...any) error {
	data, err := f.encode(records)
	switch {
	case err != nil:
		return err
	case f.file == nil:
		return &Error{Path: f.path, Message: "it is not open for writing", Help: "open it again"}
	case f.err != nil:
		return f.err
	}
	if f.opt.Shared {
		if err := f.lock(); err != nil {
			return err
		}
		defer f.unlock()
	}
	if f.err = f.verify(data); f.err != nil {
		return f.err
	}
	if f.opt.Shared { // another process may have written, and been killed
		if err := f.repair(); err != nil {
			return err
		}
	}
	if f.opt.MaxFile > 0 && f.size+int64(len(data)) > f.opt.MaxFile {
		return f.full("it would become larger than %d MiB", f.opt.MaxFile>>20)
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
		return f.failed("written", err, "what it holds is complete; make room, or use another file")
	}
	if f.size == 0 { // the name of a new file has to be on the disk too
		if folder, err := os.Open(filepath.Dir(f.real)); err == nil {
			folder.Sync() // which some file systems cannot
			folder.Close()
		}
	}
	last := len(f.written) - 1
	if last >= 0 && f.written[last].at+int64(len(f.written[last].data)) == f.size {
		f.written[last].data = append(f.written[last].data, data...)
	} else {
		f.written = append(f.written, segment{f.size, data})
	}
	f.size, f.bare = f.size+int64(len(data)), false
	return nil
}

func (f *File) encode(records []any) ([]byte, error) {
	var out []byte
	for _, r := range records {
		line, err := printable.JSON(r)
		if err != nil {
			return nil, fmt.Errorf("encoding a line of %s: %w", f.path, err)
		}
		if n := int64(len(line)); f.opt.MaxLine > 0 && n > f.opt.MaxLine {
			return nil, f.full("one line would have %d bytes, and %d are allowed", n, f.opt.MaxLine)
		}
		out = append(append(out, line...), '\n')
	}
	if f.opt.Mask != nil {
		out = f.opt.Mask(out)
	}
	return out, nil
}

// Close verifies and releases the file; tampering is reported once.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := error(nil)
	if f.err == nil {
		err = f.verify(nil)
	}
	info, serr := f.file.Stat()
	remove := !f.opt.Shared && f.created && err == nil && f.err == nil && serr == nil && info.Size() == 0
	remove = remove && os.Remove(f.real) != nil // Windows removes nothing that is open
	if cerr := f.file.Close(); err == nil && cerr != nil {
		err = f.failed("closed", cerr, "check what it holds")
	}
	if remove {
		os.Remove(f.real)
	}
	f.file = nil
	return err
}

func (f *File) failed(what string, err error, help string) error {
	return &Error{Path: f.path, Message: fmt.Sprintf("it cannot be %s: %v", what, safefile.Reason(err)), Help: help, Err: err}
}

func (f *File) full(format string, args ...any) error {
	text := ErrFull.Error() + ": " + fmt.Sprintf(format, args...)
	return &Error{Path: f.path, Message: text, Help: "what it holds is complete; use another file", Err: ErrFull}
}

func openFailed(path string, err error) error {
	help := "check the permissions"
	if errors.Is(err, fs.ErrNotExist) {
		help = "check the path; the folder must exist"
	}
	return &Error{Path: path, Message: fmt.Sprintf("it cannot be opened: %v", safefile.Reason(err)), Help: help, Err: err}
}
