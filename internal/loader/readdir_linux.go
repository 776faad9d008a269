package loader

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// readDir lists a folder by name; entries read before an error are returned
// with it. It never waits, whatever dir has become. Most folders are small, and
// a run lists one for each skill: those are listed without what os does besides
// for a file.
func readDir(dir string) ([]fs.DirEntry, error) {
	if entries, ok := readSmallDir(dir); ok {
		return entries, nil
	}
	return readAnyDir(dir)
}

// readSmallDir lists a folder of which all is plain; ok is false for any other.
func readSmallDir(dir string) (entries []fs.DirEntry, ok bool) {
	fd, ok := openAt(unix.AT_FDCWD, dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK)
	if !ok {
		return nil, false
	}
	defer unix.Close(fd)
	plain := eachEntry(fd, func(name string, kind byte) bool {
		var mode fs.FileMode
		switch kind {
		case unix.DT_REG:
		case unix.DT_DIR:
			mode = fs.ModeDir
		case unix.DT_LNK:
			mode = fs.ModeSymlink
		default:
			return false
		}
		entries = append(entries, &smallEntry{name, mode, dir})
		return len(entries) <= 1000
	})
	if !plain {
		return nil, false
	}
	sortEntries(entries)
	return entries, true
}

// Where the parts of an entry are in what the kernel returns (linux_dirent64),
// the number of its inode first, 0 for one that is gone.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// eachEntry calls add with the name and kind (unix.DT_REG and so on) of every
// entry of an open folder, in no order, until it returns false. ok is false
// then, or where the folder cannot be read.
func eachEntry(folder int, add func(name string, kind byte) bool) (ok bool) {
	var buffer [8 << 10]byte
	for {
		n, err := unix.ReadDirent(folder, buffer[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false
		}
		if n == 0 {
			return true
		}
		for rest := buffer[:n]; len(rest) > direntName; {
			length := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if length <= direntName || length > len(rest) {
				return false
			}
			name, _, _ := bytes.Cut(rest[direntName:length], []byte{0})
			gone := binary.NativeEndian.Uint64(rest) == 0
			if kind := rest[direntType]; !gone && string(name) != "." && string(name) != ".." && !add(string(name), kind) {
				return false
			}
			rest = rest[length:]
		}
	}
}

// smallEntry implements [fs.DirEntry].
type smallEntry struct {
	name string
	mode fs.FileMode
	dir  string
}

func (e *smallEntry) Name() string               { return e.name }
func (e *smallEntry) IsDir() bool                { return e.mode.IsDir() }
func (e *smallEntry) Type() fs.FileMode          { return e.mode }
func (e *smallEntry) Info() (fs.FileInfo, error) { return os.Lstat(filepath.Join(e.dir, e.name)) }
