package loader

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxOpenFolders is how many folders of one skill are kept open.
const maxOpenFolders = 32

// beneath reads the plain part of a skill's folder by descriptors: what os does
// besides for a small file costs more than reading it, and a skill has a dozen.
//
// Each step takes one name, from the descriptor of the folder it is in, and
// goes through no link: nothing outside the folder can be reached. Whatever is
// not plain, or fails, is left to [os.Root], which also knows what to say of
// it.
type beneath struct {
	dir     string
	folders map[string]int // descriptors by slash path, "" for the skill's own
}

// close closes what was opened; a later use starts anew.
func (b *beneath) close() {
	for _, fd := range b.folders {
		unix.Close(fd)
	}
	b.folders = nil
}

// folder returns the descriptor of a folder, "" for the skill's own. It belongs
// to b.
func (b *beneath) folder(name string) (fd int, ok bool) {
	if fd, ok = b.folders[name]; ok {
		return fd, true
	}
	if len(b.folders) == maxOpenFolders {
		return 0, false
	}
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NONBLOCK
	if name == "" {
		fd, ok = openAt(unix.AT_FDCWD, b.dir, flags)
	} else {
		in, base := path.Split(name)
		parent, there := b.folder(strings.TrimSuffix(in, "/"))
		if !there {
			return 0, false
		}
		fd, ok = openAt(parent, base, flags|unix.O_NOFOLLOW)
	}
	if !ok {
		return 0, false
	}
	if b.folders == nil {
		b.folders = map[string]int{}
	}
	b.folders[name] = fd
	return fd, true
}

// list returns what is in a folder, "" for the skill's own, sorted by name;
// known is what it is known to hold, nil where it is to be asked.
func (b *beneath) list(name string, known []fs.DirEntry) (entries []entry, ok bool) {
	fd, ok := b.folder(name)
	if !ok {
		return nil, false
	}
	for _, e := range known {
		entries = append(entries, entry{name: e.Name(), mode: e.Type()})
	}
	if known == nil {
		if !eachEntry(fd, func(name string, kind byte) bool {
			mode := fs.ModeIrregular
			if kind == unix.DT_DIR {
				mode = fs.ModeDir
			}
			entries = append(entries, entry{name: name, mode: mode})
			return len(entries) <= maxEntries
		}) {
			return nil, false
		}
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	}
	for i := range entries {
		e := &entries[i]
		if e.mode.IsDir() {
			continue // of a folder, that is all that is asked
		}
		var info unix.Stat_t
		if err := unix.Fstatat(fd, e.name, &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return nil, false
		}
		e.mode, e.size = fileMode(info.Mode), info.Size
	}
	return entries, true
}

// open opens a regular file.
func (b *beneath) open(name string) (f plainFile, size int64, ok bool) {
	if f, ok = b.openListed(name); !ok {
		return 0, 0, false
	}
	var info unix.Stat_t
	if err := unix.Fstat(int(f), &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		f.Close()
		return 0, 0, false
	}
	return f, info.Size, true
}

// openListed opens what was listed as a regular file a moment ago, without
// looking at it again. What took its place since is not waited for: a pipe, a
// socket or a folder cannot be read at an offset, and a link is not followed.
func (b *beneath) openListed(name string) (f plainFile, ok bool) {
	if !fs.ValidPath(name) || strings.Count(name, "/") > maxTreeDepth {
		return 0, false
	}
	in, base := path.Split(name)
	folder, ok := b.folder(strings.TrimSuffix(in, "/"))
	if !ok {
		return 0, false
	}
	fd, ok := openAt(folder, base, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW)
	return plainFile(fd), ok
}

func openAt(folder int, name string, flags int) (fd int, ok bool) {
	fd, err := again(func() (int, error) { return unix.Openat(folder, name, flags|unix.O_CLOEXEC, 0) })
	return fd, err == nil
}

// plainFile is the descriptor of a regular file.
type plainFile int

// ReadAt implements [io.ReaderAt].
func (f plainFile) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		got, err := again(func() (int, error) { return unix.Pread(int(f), p[n:], offset+int64(n)) })
		if err != nil {
			return n, err
		}
		if got == 0 {
			return n, io.EOF
		}
		n += got
	}
	return n, nil
}

// Close implements [io.Closer].
func (f plainFile) Close() error { return unix.Close(int(f)) }

// fileMode is what the system calls a file's mode as [os.Lstat] has it.
func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	default:
		m |= fs.ModeIrregular
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}
