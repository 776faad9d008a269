package files

// A snapshot tells whether a folder is still what was approved, and what a program changed in
// it. It describes all that can change what a script does, and reads files only within
// limits; beyond them, size and times represent the content.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Limits of a [Snapshot]. Larger files, and those beyond the total, are compared by size
// and times: they are data, and reading them before each start would take seconds.
const (
	maxSnapshot      = 50_000   // files, links and folders
	maxSnapshotFile  = 8 << 20  // bytes of a file that is read
	maxSnapshotBytes = 64 << 20 // bytes of all files that are read
)

// ErrTooManyFiles is returned for a folder that is too large for a [Snapshot].
var ErrTooManyFiles = fmt.Errorf("it has more than %d files and folders", maxSnapshot)

// Snapshot describes every file, link and folder below a folder, by slash path, except a
// .git folder directly in it. Equal descriptions mean equal types, modes and contents.
type Snapshot map[string]string

// TakeSnapshot describes the content of a folder. Links are not followed out of it. What
// cannot be read is described as such. The error is that of the context, of opening the
// folder, or [ErrTooManyFiles].
func TakeSnapshot(ctx context.Context, dir string) (Snapshot, error) {
	root, err := OpenFolder(dir)
	if err != nil {
		return nil, Reason(err)
	}
	defer root.Close()
	return TakeSnapshotIn(ctx, root)
}

// TakeSnapshotIn is TakeSnapshot of an open folder.
func TakeSnapshotIn(ctx context.Context, root *os.Root) (Snapshot, error) {
	t := snapshotTaker{root: root, most: maxSnapshot, left: maxSnapshotBytes, found: Snapshot{}, buffer: make([]byte, 32<<10)}
	if err := t.take(ctx); err != nil {
		return nil, err
	}
	return t.found, nil
}

// Digest returns the hexadecimal SHA-256 of the snapshot.
func (s Snapshot) Digest() string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(hash, "%q %s\n", name, s[name])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Changed returns the sorted names that were added, removed or changed since an earlier
// snapshot.
func (s Snapshot) Changed(since Snapshot) (names []string) {
	for name, now := range s {
		if since[name] != now {
			names = append(names, name)
		}
	}
	for name := range since {
		if _, still := s[name]; !still {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// snapshotTaker takes a snapshot.
type snapshotTaker struct {
	root   *os.Root
	most   int   // entries
	left   int64 // bytes that may still be read
	found  Snapshot
	buffer []byte
}

func (t *snapshotTaker) take(ctx context.Context) error {
	for folders := []string{"."}; len(folders) > 0; folders = folders[1:] {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		below, err := t.folder(folders[0])
		if err != nil {
			return err
		}
		folders = append(folders, below...)
	}
	return nil
}

// folder describes the entries of a folder, and returns the folders among them.
func (t *snapshotTaker) folder(name string) (below []string, err error) {
	in, err := t.root.OpenRoot(filepath.FromSlash(name) + string(filepath.Separator) + ".") // never waits for a pipe
	if err != nil {
		t.unreadable(name)
		return nil, nil
	}
	defer in.Close()
	dir, err := in.Open(".")
	if err != nil {
		t.unreadable(name)
		return nil, nil
	}
	defer dir.Close()
	entries, err := dir.ReadDir(t.most + 1 - len(t.found))
	if err != nil && !errors.Is(err, io.EOF) {
		t.unreadable(name)
	}
	if len(t.found)+len(entries) > t.most {
		return nil, ErrTooManyFiles
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		entry := path.Join(name, e.Name())
		if entry == ".git" && e.IsDir() { // changes with every command of Git
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		t.found[entry] = t.describe(in, entry, info)
		if info.IsDir() {
			below = append(below, entry)
		}
	}
	return below, nil
}

// unreadable notes that a folder could not be listed.
func (t *snapshotTaker) unreadable(name string) { t.found[name] += " unreadable" }

// describe describes an entry of the folder opened as in.
func (t *snapshotTaker) describe(in *os.Root, name string, info fs.FileInfo) string {
	text := info.Mode().String()
	switch {
	case info.Mode().IsRegular():
		return text + " " + t.content(in, path.Base(name), info)
	case info.Mode()&fs.ModeSymlink != 0:
		name = filepath.FromSlash(name)
		target, err := t.root.Readlink(name)
		if err != nil {
			return text + " unreadable"
		}
		text += fmt.Sprintf(" to %q", target)
		if behind, err := t.root.Stat(name); err == nil && behind.Mode().IsRegular() { // inside the folder
			text += " " + t.content(t.root, name, behind)
		}
	}
	return text
}

// content describes the content of a regular file by its digest, or else by size and
// times. The time of the last change of state cannot be set by a program.
func (t *snapshotTaker) content(in *os.Root, name string, info fs.FileInfo) string {
	if info.Size() > min(t.left, maxSnapshotFile) {
		return byTimes(info)
	}
	file, err := in.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // even if it has become a pipe
	if err != nil {
		return "unreadable, " + byTimes(info)
	}
	defer file.Close()
	info, err = file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "unreadable"
	}
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, io.LimitReader(file, maxSnapshotFile+1), t.buffer)
	t.left -= n
	if err != nil || n > maxSnapshotFile {
		return "unreadable, " + byTimes(info)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Stamp describes the state of a file without reading it. A program that changes the file
// cannot keep the stamp on Linux and macOS, where it has the time of the last change of
// state.
func Stamp(info fs.FileInfo) string { return info.Mode().String() + " " + byTimes(info) }

func byTimes(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes of %d, state %d", info.Size(), info.ModTime().UnixNano(), changeTime(info))
}
