package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"skills/internal/agent"
	"skills/internal/safefile"
)

// Open opens a session for a run, or begins one where there is no file. Until
// Close, or the end of the process, no other run can open it. The end of a
// write that was cut is cut away; see [File.Warning].
//
// The error is an *Error, and the file is as it was.
func Open(path string, now func() time.Time) (*File, error) {
	for {
		file, created, err := open(path)
		if err != nil {
			return nil, err
		}
		f, err := take(path, file, now)
		if err != nil {
			file.Close()
			return nil, err
		}
		if f != nil {
			f.created = created
			return f, nil
		}
		// Whoever had it took it away between our opening and our lock.
		file.Close()
	}
}

// open opens the file itself, and reports whether it was not there before. It
// looks first, so that no pipe is waited for.
func open(path string) (file *os.File, created bool, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, false, irregular(path)
	}
	created = errors.Is(err, fs.ErrNotExist)
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNonblock, 0o600)
	if err != nil {
		return nil, false, unusable(path, err)
	}
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, false, irregular(path)
	}
	return file, created, nil
}

func irregular(path string) error {
	return &Error{Path: path, Text: "it is no regular file", Help: "name a file for the conversation", Err: ErrForeign}
}

func unusable(path string, err error) error {
	help := "check the permissions"
	if errors.Is(err, fs.ErrNotExist) {
		help = "check the spelling; the folder has to be there"
	}
	return &Error{Path: path, Text: fmt.Sprintf("it cannot be opened: %v", safefile.Reason(err)), Help: help, Err: err}
}

// take locks the file, reads it and makes it ready. A nil file without an error
// says that there is another one at the path by now.
func take(path string, file *os.File, now func() time.Time) (*File, error) {
	switch err := safefile.Lock(file); {
	case errors.Is(err, safefile.ErrLocked):
		return nil, &Error{Path: path, Text: "another run is using it", Help: "wait for its end, or use another file", Err: ErrInUse}
	case err != nil:
		return nil, &Error{Path: path, Text: fmt.Sprintf("it cannot be locked: %v", safefile.Reason(err)), Help: "use a file on a local disk", Err: err}
	}
	ours, err := file.Stat()
	if err != nil {
		return nil, unusable(path, err)
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(ours, there) {
		return nil, nil
	}
	f, c, err := load(path, file)
	if err != nil {
		return nil, err
	}
	f.file, f.sync, f.size, f.bare = file, file.Sync, c.size, c.bare
	if c.torn > 0 {
		if err := file.Truncate(c.size); err != nil {
			return nil, unusable(path, err)
		}
		f.warning = fmt.Sprintf("the last line of %s was cut in the middle of a write; its %d bytes are left out", path, c.torn)
	}
	if f.fresh = c.size == 0; f.fresh {
		f.lead = []any{header{typeHeader, version, now().UTC().Format(time.RFC3339)}}
	}
	for _, m := range c.missing {
		f.lead = append(f.lead, messageLine{typeMessage, m})
	}
	return f, nil
}

// Look reads a session without touching it; a file that is not there is an
// empty one. What is returned keeps nothing.
func Look(path string) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &File{path: path, session: agent.NewSession()}, nil
	case err == nil && !info.Mode().IsRegular():
		return nil, irregular(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unusable(path, err)
	}
	defer file.Close()
	f, _, err := load(path, file)
	return f, err
}

// load reads the file from its beginning.
func load(path string, file io.Reader) (*File, *content, error) {
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, unusable(path, err)
	}
	if len(data) > maxFile {
		return nil, nil, &Error{Path: path, Text: fmt.Sprintf("it is larger than %d MiB", maxFile>>20), Help: "start another session", Err: ErrFull}
	}
	c, err := parse(data)
	var bad *Error
	if errors.As(err, &bad) {
		bad.Path = path
		return nil, nil, bad
	}
	f := &File{path: path, session: agent.RestoreSession(c.state), messages: c.messages, lines: c.lines, kept: map[string]string{}}
	for key, raw := range c.state {
		f.kept[key] = string(raw)
	}
	return f, c, nil
}
