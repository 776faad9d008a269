package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Files gives rules access to a skill's folder. Implementations read each file
// at most once, limit what they read and never leave the folder.
type Files interface {
	// List returns the files and folders below the skill's folder, sorted by
	// name and limited in number. Hidden folders, node_modules and similar ones
	// are listed without their contents.
	List() []File
	// Unlisted returns what List omits because it could not be read, in a fixed
	// order.
	Unlisted() []Unlisted
	// Read returns up to limit bytes of a regular file. The caller must not
	// modify them. The error is ErrReadLimit once the limit for all files of
	// the skill is reached.
	Read(name string, limit int64) ([]byte, error)
	// Above reports whether a file or folder exists at a clean path that starts
	// with ../; known is false if that is not checked. It reads no content.
	Above(name string) (exists, known bool)
}

// ErrReadLimit is returned by [Files].Read once the limit for all files of a
// skill is reached.
var ErrReadLimit = errors.New("the limit for reading this skill's files is reached")

// Unlisted is a part of a skill's folder that could not be listed.
type Unlisted struct {
	Name   string // a folder, relative to the skill with slashes; "" for the whole skill
	Reason string // a predicate such as "cannot be read: permission denied"
	Help   string
}

// FindFile returns the file with a name in a list as [Files].List returns it.
func FindFile(list []File, name string) (f File, ok bool) {
	i, ok := slices.BinarySearchFunc(list, name, func(f File, name string) int { return strings.Compare(f.Name, name) })
	if ok {
		f = list[i]
	}
	return f, ok
}

// File is an entry of a skill's folder.
type File struct {
	Name    string // relative to the skill, with slashes
	Mode    fs.FileMode
	Size    int64
	Link    string // target of a symbolic link, as written; "" for other entries
	Outside bool   // a link that leads out of the skill's folder, or is broken
	Skipped bool   // a folder whose contents are not listed
}

// KindName returns the kind of file for a mode, with its article.
func KindName(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// FormatSize formats a number of bytes for display.
func FormatSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n == 8<<20:
		return "8 MiB"
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
