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
	var buffer [8 << 10]byte
	for {
		n, err := unix.ReadDirent(fd, buffer[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || len(entries) > 1000 {
			return nil, false
		}
		if n == 0 {
			sortEntries(entries)
			return entries, true
		}
		if entries, ok = appendEntries(entries, dir, buffer[:n]); !ok {
			return nil, false
		}
	}
}

// Where the parts of an entry are in what the kernel returns (linux_dirent64),
// the number of its inode first, 0 for one that is gone.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// appendEntries adds the entries that the kernel has written into a buffer; ok
// is false where one has no type that names it.
func appendEntries(entries []fs.DirEntry, dir string, buffer []byte) (_ []fs.DirEntry, ok bool) {
	for len(buffer) > direntName {
		length := int(binary.NativeEndian.Uint16(buffer[direntLength:]))
		if length <= direntName || length > len(buffer) {
			return nil, false
		}
		name, _, _ := bytes.Cut(buffer[direntName:length], []byte{0})
		var mode fs.FileMode
		switch buffer[direntType] {
		case unix.DT_REG:
		case unix.DT_DIR:
			mode = fs.ModeDir
		case unix.DT_LNK:
			mode = fs.ModeSymlink
		default:
			return nil, false
		}
		gone := binary.NativeEndian.Uint64(buffer) == 0
		if text := string(name); !gone && text != "." && text != ".." {
			entries = append(entries, &smallEntry{text, mode, dir})
		}
		buffer = buffer[length:]
	}
	return entries, true
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
