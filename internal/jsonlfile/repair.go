package jsonlfile

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Repair prepares the end of the file for Append: it removes an incomplete last
// line. The warning says what it did, "" for nothing.
func (f *File) Repair() (warning string, err error) {
	if err := f.lock(); err != nil {
		return "", err
	}
	defer f.unlock()
	if warning, err = f.repair(); err != nil {
		return "", err
	}
	if !f.opt.Shared {
		data, err := f.Read(f.size)
		if err != nil {
			return "", err
		}
		f.written = []segment{{0, data}}
	}
	return warning, nil
}

func (f *File) repair() (warning string, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return "", f.failed("read", err, "check the permissions")
	}
	f.size = info.Size()
	line, err := f.lastLine()
	if err != nil {
		return "", f.failed("read", err, "check the permissions")
	}
	f.bare = len(line) > 0
	switch {
	case !f.bare || json.Valid(line):
		return "", nil
	case f.opt.Torn != nil && !f.opt.Torn(line) && len(bytes.Trim(line, "\x00")) > 0: // a crash may leave zeros
		return fmt.Sprintf("the last line of %s is not JSON; it is kept, and what follows begins on a new line", f.path), nil
	}
	f.size -= int64(len(line))
	f.bare = false
	if err := f.file.Truncate(f.size); err != nil {
		return "", f.failed("written", err, "check the permissions")
	}
	return fmt.Sprintf("the last line of %s was cut in the middle of a write; its %d bytes are ignored", f.path, len(line)), nil
}

// lastLine returns what is after the last line feed.
func (f *File) lastLine() ([]byte, error) {
	for n := int64(1); ; n *= 64 {
		tail := make([]byte, min(n, f.size))
		if _, err := f.file.ReadAt(tail, f.size-int64(len(tail))); err != nil {
			return nil, err
		}
		if end := bytes.LastIndexByte(tail, '\n'); end >= 0 {
			return tail[end+1:], nil
		}
		if n >= f.size {
			return tail, nil
		}
	}
}
