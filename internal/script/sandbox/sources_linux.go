package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// identify returns the identities of the sources of a policy's mounts. What is
// opened later must be the same.
func identify(p Policy) (map[string]ID, error) {
	found := map[string]ID{}
	paths := slices.Concat(p.Read, p.Write) // Landlock grants also what is in others
	for _, m := range mounts(p) {
		if m.kind != mountLink {
			paths = append(paths, m.path)
		}
	}
	for _, path := range paths {
		if _, known := found[path]; known {
			continue
		}
		fd, id, err := openPath(path)
		if err != nil {
			return nil, err
		}
		unix.Close(fd)
		found[path] = id
	}
	return found, nil
}

// Identify describes what is at a resolved path. It follows no link, in no element.
func Identify(path string) (fs.FileInfo, error) {
	fd, _, err := openPath(path)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	return file.Stat()
}

// is reports whether a source is what was seen before.
func (p Policy) is(path string, want fs.FileInfo) bool {
	id, ok := p.Sources[path]
	stat, known := want.Sys().(*syscall.Stat_t)
	return ok && known && id == ID{Device: uint64(stat.Dev), Inode: stat.Ino, Type: stat.Mode & unix.S_IFMT}
}

// Is reports whether an open source of the policy, a folder that it grants, is what it was
// when the policy was decided.
func (p Policy) Is(path string, now fs.FileInfo) bool { return p.is(path, now) }

// open opens a source of the policy, which must be what it was when the policy
// was decided.
func (p Policy) open(path string) (int, error) {
	fd, id, err := openPath(path)
	if err != nil {
		return -1, err
	}
	if want, ok := p.Sources[path]; ok && id != want {
		unix.Close(fd)
		return -1, changed(path)
	}
	return fd, nil
}

// openPath opens a resolved absolute path, without reading. It follows no link, in
// no element: a script could put one in the place of a folder at any time.
func openPath(path string) (fd int, id ID, err error) {
	const flags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err = unix.Open("/", flags|unix.O_DIRECTORY, 0)
	names := split(path)
	for i := 0; i < len(names) && names[i] != "" && err == nil; i++ {
		more := 0
		if i < len(names)-1 {
			more = unix.O_DIRECTORY
		}
		var next int
		next, err = unix.Openat(fd, names[i], flags|more, 0)
		unix.Close(fd)
		fd = next
	}
	var stat unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &stat)
		if err != nil {
			unix.Close(fd)
		}
	}
	switch err {
	case nil:
		return fd, ID{Device: uint64(stat.Dev), Inode: stat.Ino, Type: stat.Mode & unix.S_IFMT}, nil
	case unix.ENOENT:
		return -1, id, ReplacedError(path + " was removed while the script was starting")
	case unix.ENOTDIR, unix.ELOOP:
		return -1, id, changed(path)
	}
	return -1, id, fmt.Errorf("opening %s: %w", strings.ToValidUTF8(path, "\ufffd"), err)
}
