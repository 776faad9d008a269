// Package jsonl appends lines of JSON to a file and syncs each write to
// disk. It removes a line that a killed process left incomplete. A file that
// another process emptied, rewrote, replaced or moved is an error, and the
// lines written to it are saved elsewhere.
package jsonl

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

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
)

// Errors for a file that is not used, for [errors.Is].
var (
	ErrInUse    = errors.New("another run is using it")
	ErrForeign  = errors.New("it is not such a file")
	ErrDamaged  = errors.New("it is damaged")
	ErrFull     = errors.New("it is full")
	ErrTampered = errors.New("another process changed it")
)

// Options configures a file. Functions may be nil.
type Options struct {
	// Shared allows several processes to append to the file, which is then
	// locked for each write. Otherwise it is locked until Close, which removes a
	// new file if nothing was written to it.
	Shared bool
	// Check rejects existing content before anything is changed.
	Check func(content io.Reader) error
	// Mask changes lines before they are written, for example to mask keys. It
	// must keep the number of lines.
	Mask             func(lines []byte) []byte
	Warn             func(message string) // receives a description of repairs
	MaxLine, MaxFile int64                // bytes
}

// Number of attempts and pauses for the lock of a shared file.
const (
	lockTries = 1000
	lockPause = 5 * time.Millisecond
)

// File is an open file. Its methods must not be called concurrently.
type File struct {
	opt     Options
	path    string // as given
	real    string // with links resolved
	created bool
	file    *os.File // nil after Close
	sync    func() error
	tries   int // attempts to lock

	size    int64     // size that was verified
	bare    bool      // the last line has no line feed
	written []segment // content known to this process
	err     error     // permanent error after tampering
}

// segment is a part of the file that must not change.
type segment struct {
	at   int64
	data []byte
}

// Open opens or creates the file at path, and removes an incomplete last line.
// On error, an *fault.Error or that of Check, the file is unchanged.
func Open(path string, opt Options) (*File, error) {
	f := &File{opt: opt, path: path, tries: 1}
	if opt.Shared {
		f.tries = lockTries
	}
	info, err := os.Stat(path) // before opening, which can block on a pipe
	f.created = errors.Is(err, fs.ErrNotExist)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &fault.Error{Path: path, Message: "it is not a regular file", Hint: "name a regular file", Err: ErrForeign}
	}
	f.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, openFailed(path, err)
	}
	f.sync = f.file.Sync
	err = f.prepare()
	if err != nil {
		return nil, errors.Join(err, f.release())
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
	f.real, err = filepath.EvalSymlinks(f.path)
	if err == nil && !f.inPlace() {
		err = ErrInUse // the previous owner removed it before the lock was acquired
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

// lock locks the file, and waits for a moment if it is shared.
func (f *File) lock() error {
	for try := 1; ; try++ {
		err := files.Lock(f.file)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, files.ErrLocked):
			return f.failed("locked", err, "use a file on a local disk")
		case try >= f.tries:
			return &fault.Error{Path: f.path, Message: ErrInUse.Error(), Hint: "wait for it to end, or use another file", Err: ErrInUse}
		}
		time.Sleep(lockPause)
	}
}

func (f *File) unlock() {
	if f.opt.Shared {
		files.Unlock(f.file)
	}
}

// release unlocks and closes the file. Closing alone would leave it locked while a process
// that this one is starting still has it open.
func (f *File) release() error {
	files.Unlock(f.file)
	return f.file.Close()
}

// Append writes each record as a line of JSON, all with one write, and syncs
// the file. After a write error the file is unchanged. ErrTampered is
// permanent: nothing more is written.
func (f *File) Append(records ...any) error {
	data, err := f.encode(records)
	switch {
	case err != nil:
		return err
	case f.file == nil:
		return &fault.Error{Path: f.path, Message: "it is not open for writing", Hint: "open it again"}
	case f.err != nil:
		return f.err
	}
	if f.opt.Shared {
		if err := f.lock(); err != nil {
			return err
		}
		defer f.unlock()
	}
	f.err = f.verify(data)
	if f.err != nil {
		return f.err
	}
	if f.opt.Shared { // another process may have written a part of a line
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
		f.file.Truncate(f.size) // the write error is the one to report
		return f.failed("written", err, "the file is intact; free some space or use another file")
	}
	if f.size == 0 { // sync the name of a new file too
		if folder, err := os.Open(filepath.Dir(f.real)); err == nil {
			folder.Sync() // not supported by some file systems
			folder.Close()
		}
	}
	f.written = append(f.written, segment{f.size, data})
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

// Close verifies and closes the file; tampering is reported once.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	var err error
	if f.err == nil {
		err = f.verify(nil)
		unused := err == nil && f.created && f.size == 0
		if unused && !f.opt.Shared && os.Remove(f.real) != nil {
			defer os.Remove(f.real) // Windows cannot remove an open file
		}
	}
	if cerr := f.release(); err == nil && cerr != nil {
		err = f.failed("closed", cerr, "check the content of the file")
	}
	f.file = nil
	return err
}

func (f *File) failed(what string, err error, help string) error {
	return &fault.Error{Path: f.path, Message: fmt.Sprintf("it cannot be %s: %v", what, files.Reason(err)), Hint: help, Err: err}
}

func (f *File) full(format string, args ...any) error {
	text := ErrFull.Error() + ": " + fmt.Sprintf(format, args...)
	return &fault.Error{Path: f.path, Message: text, Hint: "the file is intact; use another file", Err: ErrFull}
}

func openFailed(path string, err error) error {
	help := "check the permissions"
	if errors.Is(err, fs.ErrNotExist) {
		help = "check the path; the folder must exist"
	}
	return &fault.Error{Path: path, Message: fmt.Sprintf("it cannot be opened: %v", files.Reason(err)), Hint: help, Err: err}
}
