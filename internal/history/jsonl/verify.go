package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"skills/internal/fault"
)

// repair removes an incomplete last line, so that another line can follow.
func (f *File) repair() error {
	info, err := f.file.Stat()
	if err != nil {
		return f.failed("read", err, "check the permissions")
	}
	f.size = info.Size()
	line, err := f.lastLine()
	if err != nil {
		return f.failed("read", err, "check the permissions")
	}
	f.bare = len(line) > 0
	if !f.bare || json.Valid(line) {
		return nil
	}
	f.size, f.bare = f.size-int64(len(line)), false
	if err := f.file.Truncate(f.size); err != nil {
		return f.failed("written", err, "check the permissions")
	}
	if f.opt.Warn != nil {
		f.opt.Warn(fmt.Sprintf("the last line of %s was cut in the middle of a write; its %d bytes are ignored", f.path, len(line)))
	}
	return nil
}

// lastLine returns the text after the last line feed.
func (f *File) lastLine() ([]byte, error) {
	for n := int64(1); ; n *= 64 {
		tail := make([]byte, min(n, f.size))
		if _, err := f.file.ReadAt(tail, f.size-int64(len(tail))); err != nil {
			return nil, err
		}
		if end := bytes.LastIndexByte(tail, '\n'); end >= 0 || n >= f.size {
			return tail[end+1:], nil
		}
	}
}

// verify checks that the file is still the opened one with all its content. If
// not, it saves the known content, and more, to another file.
func (f *File) verify(more []byte) error {
	text := f.tampered()
	if text == "" {
		return nil
	}
	kept, err := f.recover(more)
	switch {
	case err != nil:
		text += fmt.Sprintf(", and what it held could not be kept: %v", err)
	case kept != "":
		text += "; what this run wrote is in " + kept
	}
	return &fault.Error{
		Path: f.path, Message: text, Err: ErrTampered,
		Hint: "find out what changed it, and put the file where scripts cannot write",
	}
}

// inPlace reports whether the path still refers to the file, and not to a link
// or pipe.
func (f *File) inPlace() bool {
	ours, err := f.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(f.real)
	return err == nil && os.SameFile(ours, now) && now.Mode().IsRegular()
}

// tampered returns what happened to the file, or "".
func (f *File) tampered() string {
	info, err := f.file.Stat()
	switch {
	case err != nil:
		return fmt.Sprintf("it cannot be checked: %v", err)
	case !f.inPlace():
		return "it was moved, removed or replaced during the run"
	case info.Size() < f.size:
		return "it was emptied or cut during the run"
	case !f.opt.Shared && info.Size() != f.size:
		return "another process wrote to it during the run"
	}
	for _, s := range f.written {
		now := make([]byte, len(s.data))
		if _, err := f.file.ReadAt(now, s.at); err != nil || !bytes.Equal(now, s.data) {
			return "it was rewritten during the run"
		}
	}
	return ""
}

// recover writes the known content to a file that no script can change. path is
// "" if there is none.
func (f *File) recover(more []byte) (path string, err error) {
	var data []byte
	for _, s := range f.written {
		data = append(data, s.data...)
	}
	data = append(data, more...)
	if len(data) == 0 {
		return "", nil
	}
	file, err := os.CreateTemp("", filepath.Base(f.real)+".recovered-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	return file.Name(), errors.Join(err, file.Sync(), file.Close())
}
