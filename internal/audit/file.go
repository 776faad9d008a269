package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"skills/internal/disk"
)

// begins reports whether a file that begins with head is an audit file, or its
// first line was cut so early that it may be one.
func begins(head string) bool {
	first, _, _ := strings.Cut(head, "\n")
	return first != "" && slices.ContainsFunc([]string{"approval", "script.started", "script.ended"}, func(kind string) bool {
		b := `{"type":"` + kind + `","schema_version":`
		return strings.HasPrefix(first, b) || strings.HasPrefix(b, first)
	})
}

// file is an audit file that is open for appending.
type file struct {
	path string
	to   io.WriteCloser
	sync func() error
	bare bool // the last line was cut by a kill, and has no end
}

// open opens an audit file, or makes it. Whatever is no such file is refused
// and left as it is.
func open(path string) (*file, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{path, "it is no regular file", "name a file for the record", nil}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		help := "check the permissions"
		if errors.Is(err, fs.ErrNotExist) {
			help = "check the spelling; the folder has to be there"
		}
		return nil, &Error{path, fmt.Sprintf("it cannot be opened: %v", disk.Reason(err)), help, err}
	}
	out := &file{path: path, to: f, sync: f.Sync}
	if err := out.look(f); err != nil {
		f.Close()
		return nil, err
	}
	return out, nil
}

// look reads enough to tell whether it is an audit file, and whether its last
// line is whole.
func (a *file) look(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head := make([]byte, min(64, info.Size()))
	last := make([]byte, 1)
	if _, err = f.ReadAt(head, 0); err == nil {
		_, err = f.ReadAt(last, info.Size()-1)
	}
	switch {
	case err != nil:
		return &Error{a.path, fmt.Sprintf("it cannot be read: %v", disk.Reason(err)), "check the permissions", err}
	case !begins(string(head)):
		return &Error{a.path, "it is no audit file, and is left as it is", "name a file that is not there yet, or one that --audit wrote", nil}
	}
	a.bare = last[0] != '\n'
	return nil
}

// append writes one line by one write, and waits until it is on the disk.
func (a *file) append(text []byte) error {
	if a.bare {
		text = append([]byte("\n"), text...)
	}
	_, err := a.to.Write(text)
	if err == nil {
		err = a.sync()
	}
	if err != nil {
		return &Error{a.path, fmt.Sprintf("it cannot be written: %v", disk.Reason(err)), "make room, or name another file with --audit", err}
	}
	a.bare = false
	return nil
}
