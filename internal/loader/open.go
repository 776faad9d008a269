package loader

import (
	"io/fs"
	"os"
	"path/filepath"

	"skills/internal/spec"
)

// openRegular opens a regular file inside root for reading, links that stay
// inside followed. It looks before it opens, so that no device is touched, and
// again afterwards, so that a swap in between is noticed; nonblock keeps a
// swapped-in pipe from hanging the opening. Anything but a regular file is an
// *irregularError.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &irregularError{name, spec.KindName(info.Mode())}
	}
	return openUnseen(root, name)
}

// openUnseen is openRegular for what is known to be, or have been, a regular
// file.
func openUnseen(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &irregularError{name, spec.KindName(info.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// irregularError is the refusal to open what is no regular file.
type irregularError struct{ name, what string }

func (e *irregularError) Error() string { return e.name + " is " + e.what + ", not a file" }
