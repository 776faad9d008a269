package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"skills/internal/safefile"
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
	f    *os.File
	to   io.Writer // f
	sync func() error
	warn func(message string) // hears what is wrong with the file's end
	told bool                 // of an end that stays
	wait int                  // how often to ask for the file
}

// open opens an audit file, or makes it. Whatever is no such file is refused
// and left as it is. The end of one whose writer was killed is mended.
func open(path string, warn func(message string)) (*file, error) {
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
		return nil, &Error{path, fmt.Sprintf("it cannot be opened: %v", safefile.Reason(err)), help, err}
	}
	out := &file{path: path, f: f, to: f, sync: f.Sync, warn: warn, wait: tries}
	if err := out.look(); err != nil {
		f.Close()
		return nil, err
	}
	return out, nil
}

// look reads enough to tell whether it is an audit file, and mends its end.
func (a *file) look() error {
	release, held, err := a.hold()
	if err != nil {
		return err
	}
	defer release()
	info, err := a.f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head := make([]byte, min(64, info.Size()))
	if _, err = a.f.ReadAt(head, 0); err == nil {
		if !begins(string(head)) {
			return &Error{a.path, "it is no audit file, and is left as it is", "name a file that is not there yet, or one that --audit wrote", nil}
		}
		_, _, err = a.mend(held)
	}
	if err != nil {
		return &Error{a.path, fmt.Sprintf("it cannot be read: %v", safefile.Reason(err)), "check the permissions", err}
	}
	return nil
}

// append writes one line by one write, and waits until it is on the disk. After
// an error the file ends as it did before.
func (a *file) append(text []byte) error {
	release, held, err := a.hold()
	if err != nil {
		return err
	}
	defer release()
	size, lead, err := a.mend(held)
	if err == nil {
		var n int
		if n, err = a.to.Write(append([]byte(lead), text...)); err == nil {
			err = a.sync()
		}
		if err != nil && held {
			a.takeBack(size, n)
		}
	}
	if err != nil {
		return &Error{a.path, fmt.Sprintf("it cannot be written: %v", safefile.Reason(err)), "make room, or name another file with --audit", err}
	}
	return nil
}
