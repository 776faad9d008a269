package jsonlfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// verifyTail is how much of what was written last is compared before each
// write; everything is compared when the file is closed.
const verifyTail = 64 << 10

// verify reports whether the file is still the one that was opened, in its
// place, with everything in it. If not, it writes what this process knows of the
// content, and more, to a file of its own. Where whole is set, it compares
// everything.
func (f *File) verify(whole bool, more []byte) error {
	text := f.tampered(whole)
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
	return &Error{
		Path: f.path, Message: text, Err: ErrTampered,
		Help: "look at what the scripts did, and put the file where they cannot write",
	}
}

// tampered says what happened to the file, "" for nothing.
func (f *File) tampered(whole bool) string {
	ours, err := f.file.Stat()
	if err != nil {
		return fmt.Sprintf("it cannot be checked: %v", err)
	}
	if now, err := f.folder.Lstat(filepath.Base(f.real)); err != nil || !os.SameFile(ours, now) {
		return "it was removed or replaced during the run"
	}
	if !f.inPlace(ours) {
		return "its folder was moved during the run"
	}
	if ours.Size() < f.size {
		return "it was emptied or cut during the run"
	}
	if !f.opt.Shared && ours.Size() != f.size {
		return "somebody else wrote to it during the run"
	}
	segments := f.written
	if last := len(segments) - 1; !whole && last >= 0 {
		cut := max(0, len(segments[last].data)-verifyTail)
		segments = []segment{{segments[last].at + int64(cut), segments[last].data[cut:]}}
	}
	for _, s := range segments {
		now := make([]byte, len(s.data))
		if _, err := f.file.ReadAt(now, s.at); err != nil && !errors.Is(err, io.EOF) || !bytes.Equal(now, s.data) {
			return "it was rewritten during the run"
		}
	}
	return ""
}

// inPlace reports whether the path still leads to the file.
func (f *File) inPlace(ours os.FileInfo) bool {
	now, err := os.Lstat(f.real)
	return err == nil && os.SameFile(ours, now)
}

// recover writes what this process knows of the content to a new file beside
// the old one, or in the temporary folder if that was moved. It returns its
// path, "" if there is nothing to keep.
func (f *File) recover(more []byte) (path string, err error) {
	var data []byte
	for _, s := range f.written {
		data = append(data, s.data...)
	}
	if data = append(data, more...); len(data) == 0 {
		return "", nil
	}
	name := filepath.Base(f.real) + ".recovered-" + rand.Text()[:8]
	file, err := f.folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	path = filepath.Join(filepath.Dir(f.real), name)
	if err == nil {
		if info, serr := file.Stat(); serr != nil || !sameAt(path, info) {
			file.Close()
			f.folder.Remove(name)
			err = os.ErrNotExist
		}
	}
	if err != nil {
		if file, err = os.CreateTemp("", name); err != nil {
			return "", err
		}
		path = file.Name()
	}
	_, err = file.Write(data)
	return path, errors.Join(err, file.Sync(), file.Close())
}

func sameAt(path string, info os.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(info, now)
}
