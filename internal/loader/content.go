package loader

// What a skill offers is read when it is asked for, and only as much as was asked for. A
// file is opened below its skill's folder each time, because programs that the agent runs
// may have replaced it, or a folder above it, by a link.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"skills/internal/files"
	"skills/internal/spec"
)

// MaxRead is the maximum number of bytes that one call of ReadFile, or of a
// file resource's Read, returns.
const MaxRead = 8 << 20

// maxDigested is how many bytes of a skill's scripts are read for digests, in
// total. Scripts beyond that have no digest.
const maxDigested = 64 << 20

// ReadFile reads up to limit bytes of a skill's file from offset on, and
// returns them with the file's size in bytes. name is a listed resource or
// script; a limit of 0 or below means MaxRead. At or beyond the end, data is
// empty and err is nil.
//
// The path is confined to the folder: a file that was replaced by a link out of
// the folder after listing is an error.
func ReadFile(ctx context.Context, dir, name string, offset, limit int64) (data []byte, size int64, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	if offset < 0 {
		return nil, 0, fmt.Errorf("reading %s: offset %d is before the start", name, offset)
	}
	if limit <= 0 || limit > MaxRead {
		limit = MaxRead
	}
	data, info, err := readFile(dir, name, nil, offset, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, info.Size(), nil
}

// readFile reads up to limit bytes from offset on of a regular file in the folder dir,
// following links that stay inside. The error is errNotFile for anything but a regular
// file. The data is in buffer, if that is large enough.
func readFile(dir, name string, buffer []byte, offset, limit int64) (data []byte, info fs.FileInfo, err error) {
	if filepath.IsLocal(name) && filepath.Base(name) == name {
		// A file that is not a link needs no os.Root, which costs four more system calls.
		if f, info, err := files.OpenPlain(filepath.Join(dir, name)); err == nil {
			return readAt(f, info, buffer, offset, limit)
		}
	}
	root, err := files.OpenFolder(dir)
	if err != nil {
		return nil, nil, files.Reason(err)
	}
	defer root.Close()
	return readIn(root, name, offset, limit)
}

// readIn is readFile for a file inside root.
func readIn(root *os.Root, name string, offset, limit int64) (data []byte, info fs.FileInfo, err error) {
	name = filepath.FromSlash(name)
	f, info, err := files.OpenIn(root, name, func(info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is %s, %w", name, spec.KindName(info.Mode()), errNotFile)
		}
		return nil
	})
	if err != nil {
		return nil, nil, files.Reason(err)
	}
	return readAt(f, info, nil, offset, limit)
}

// readAt reads a part of an open file, and closes it.
func readAt(f *os.File, info fs.FileInfo, buffer []byte, offset, limit int64) ([]byte, fs.FileInfo, error) {
	defer f.Close()
	length := max(0, min(limit, info.Size()-offset))
	data := slices.Grow(buffer[:0], int(length))[:length]
	if data == nil {
		data = []byte{} // an empty file was read, too
	}
	n, err := f.ReadAt(data, offset)
	if errors.Is(err, io.EOF) {
		err = nil // the file was truncated meanwhile
	}
	return data[:n], info, files.Reason(err)
}

// BinaryType returns the kind of data that is not text, such as image/png; "" for
// text. What is cut off may end within a character.
func BinaryType(data []byte, cutOff bool) string {
	whole := data
	if cutOff {
		for n := 0; n < min(utf8.UTFMax, len(data)) && !utf8.Valid(whole); n++ {
			whole = data[:len(data)-n]
		}
	}
	if utf8.Valid(whole) && bytes.IndexByte(data, 0) < 0 {
		return ""
	}
	if kind := http.DetectContentType(data); !strings.HasPrefix(kind, "text/") {
		return kind
	}
	return "not UTF-8 text"
}

// fileResources are the resources behind listed names in the folder dir, opened as root.
func fileResources(dir string, root *os.Root, names []string) []Resource {
	var out []Resource
	for _, name := range names {
		r := Resource{Name: name, Read: func(ctx context.Context, offset, limit int64) ([]byte, int64, error) {
			return ReadFile(ctx, dir, name, offset, limit)
		}}
		if !hasExtension(name, []string{".md", ".txt", ".json", ".yaml", ".yml", ".csv", ".xml", ".html"}) {
			const most = 512 // enough to recognise the type
			if head, info, err := readIn(root, name, 0, most); err == nil {
				r.Size = info.Size()
				r.Type = BinaryType(head, int64(len(head)) < r.Size)
			}
		}
		out = append(out, r)
	}
	return out
}

// fileScripts returns the scripts for listed names in the folder opened as root.
// Arguments are a list of strings.
func fileScripts(ctx context.Context, root *os.Root, names []string) []Script {
	var out []Script
	left := int64(maxDigested)
	for _, name := range names {
		s := Script{Name: name, Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}
		if ctx.Err() == nil {
			s.Folder, _ = root.Stat(".")
			s.Digest = digest(root, name, &left)
		}
		out = append(out, s)
	}
	return out
}

// digest returns the SHA-256 of a file, or "" if it is unreadable or too large.
func digest(root *os.Root, name string, left *int64) string {
	data, info, err := readIn(root, name, 0, *left)
	*left -= int64(len(data))
	if err != nil || int64(len(data)) < info.Size() {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// maxEntries is how many entries of one folder are read.
const maxEntries = 100_000

var (
	errNotFile   = errors.New("not a file")
	errNotFolder = errors.New("not a folder")
	errEntries   = errors.New("holds more than 100,000 entries, the rest was not read")
)

// readDir lists a folder, sorted by name. Entries read before an error are
// returned with it; the error is errEntries if the folder has too many. It
// never blocks, even if dir has become a pipe. The stamp is that of the folder before.
func readDir(dir string) ([]fs.DirEntry, fileStamp, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, stampOf(dir), err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileStamp{path: dir}, err
	}
	entries, err := listDir(f)
	return entries, stampFrom(dir, info), err
}

// listDir is readDir for an open folder.
func listDir(f *os.File) ([]fs.DirEntry, error) {
	entries, err := f.ReadDir(maxEntries)
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case errors.Is(err, syscall.ENOTDIR):
		err = errNotFolder
	case len(entries) == maxEntries:
		if more, _ := f.ReadDir(1); len(more) > 0 {
			err = errEntries
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// resolve returns the absolute path of dir with links resolved.
func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// parent returns the parent folder of path in the same form: ".." for ".".
func parent(path string) string {
	path = filepath.Clean(path)
	if path == "." || path == ".." || strings.HasSuffix(path, string(filepath.Separator)+"..") {
		return filepath.Join(path, "..")
	}
	return filepath.Dir(path)
}
