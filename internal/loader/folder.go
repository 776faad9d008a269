package loader

// Rules ask for the files of a skill's folder through this. The folder is listed once, with
// limits, and a file is read when a rule first needs it. What the limits leave out counts
// as unknown, so that no rule reports it as missing.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"skills/internal/files"
	"skills/internal/spec"
)

// Limits for the part of a skill's folder that rules see.
const (
	maxFolderEntries = 10_000
	maxFolderDepth   = 12       // folders below the skill's own
	maxFolderBytes   = 16 << 20 // content of all files together
	maxNeighbours    = 1000     // paths outside the folder
)

// skillFolder implements [spec.Files] for a skill's folder. It reads on demand,
// so a run without rules about files only reads the SKILL.md. Content is
// cached, but no file is kept open between calls. It is safe for concurrent
// use.
type skillFolder struct {
	dir, own string
	src      []byte // of the file own, unless nil

	list  func() ([]spec.File, []spec.Unlisted) // reads the folder once
	place func() (top, rel string)              // see placeOf

	mu         sync.Mutex
	read       map[string]*content
	budget     int64               // bytes left to read
	neighbours map[string]presence // by path, see Above
}

// content is the cached content of a file.
type content struct {
	data  []byte
	whole bool // whether the file was read completely
	err   error
}

// presence is the result of Above for a path.
type presence struct{ exists, known bool }

// newFolder returns the folder dir. own, if not "", is a file with the content
// src.
func newFolder(dir, own string, src []byte) *skillFolder {
	f := &skillFolder{dir: dir, own: own, src: src, read: map[string]*content{}, neighbours: map[string]presence{}, budget: maxFolderBytes}
	f.list = sync.OnceValues(func() ([]spec.File, []spec.Unlisted) {
		return listFolder(dir, folderWalk{depth: maxFolderDepth, entries: maxFolderEntries})
	})
	f.place = sync.OnceValues(func() (top, rel string) { return placeOf(dir) })
	return f
}

// List returns up to 10,000 entries below the folder, sorted by name; upper
// levels have priority. A folder whose contents are not listed completely is
// Skipped: hidden ones, node_modules and __pycache__, unreadable ones, those
// too deep, and links to folders. Unlisted returns those that are not skipped
// because of their name. Links are never followed; an absolute one counts as
// leading out, because its target is missing on other machines.
func (f *skillFolder) List() []spec.File {
	files, _ := f.list()
	return files
}

// Unlisted returns the folders that could not be read, and where the list was cut
// off.
func (f *skillFolder) Unlisted() []spec.Unlisted {
	_, unlisted := f.list()
	return unlisted
}

// AllFiles returns everything below a skill's folder, including hidden and
// generated files, sorted by name; only .git is skipped. The second result is what
// could not be listed. Links are never followed.
func AllFiles(dir string) ([]spec.File, []spec.Unlisted) {
	return listFolder(dir, folderWalk{depth: 40, entries: 20_000, all: true})
}

// listFolder reads a folder for List and Unlisted.
func listFolder(dir string, walk folderWalk) (list []spec.File, unlisted []spec.Unlisted) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return nil, nil // reported as a fault of the skill's file
	}
	defer root.Close()
	entries, omitted, _ := walk.run(context.Background(), root)
	for _, e := range entries {
		list = append(list, e.File)
	}
	slices.SortFunc(list, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	for _, o := range omitted {
		u := spec.Unlisted{Name: o.name}
		switch {
		case errors.Is(o.err, errEntries):
			continue // the limit for all entries is lower
		case errors.Is(o.err, errDepth):
			u.Reason = fmt.Sprintf("is more than %d folders deep: it and others like it were not checked", walk.depth)
			u.Help = "put the files that the skill needs nearer to its SKILL.md"
		case errors.Is(o.err, errFull):
			u.Name = ""
			u.Reason = fmt.Sprintf("holds more than %d files and folders: the rest, from %q on, was not checked", walk.entries, o.name)
			u.Help = "keep what the skill does not need out of its folder"
		default:
			u.Reason = fmt.Sprintf("cannot be read: %v", files.Reason(o.err))
			u.Help = "check its permissions: nothing in it was checked"
		}
		unlisted = append(unlisted, u)
	}
	return list, unlisted
}

// Read returns up to limit bytes of a regular file, following links that stay
// in the folder. No byte is read twice. At most 16 MiB are read in total: after
// that the content is cut off or the error is [spec.ErrReadLimit].
func (f *skillFolder) Read(name string, limit int64) ([]byte, error) {
	name = path.Clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.read[name]
	if c == nil {
		c = &content{}
		if name == f.own && f.src != nil {
			c = &content{data: f.src, whole: true}
		}
		f.read[name] = c
	}
	have := int64(len(c.data))
	switch want := min(limit-have, f.budget); {
	case c.whole || c.err != nil || limit <= have:
	case want > 0:
		data, info, err := readFile(f.dir, name, nil, have, want)
		f.budget -= int64(len(data))
		if err != nil {
			c.err = fmt.Errorf("reading %s: %w", name, err)
		} else {
			c.data = append(c.data, data...)
			c.whole = int64(len(c.data)) >= info.Size()
		}
	case have == 0:
		c.err = fmt.Errorf("reading %s: %w", name, spec.ErrReadLimit)
	}
	if c.err != nil {
		return nil, c.err
	}
	end := min(int64(len(c.data)), max(limit, 0))
	return c.data[:end:end], nil
}

// Above reports whether a file or folder exists at a clean slash path that
// starts with ../ and is relative to the skill's folder with links resolved.
// The search is confined to the skill's repository, or without one to the
// grandparent folder, because plugins and projects keep their skills in
// skills/. Beyond that, known is false. Nothing is opened.
func (f *skillFolder) Above(name string) (exists, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, seen := f.neighbours[name]
	if !seen && len(f.neighbours) < maxNeighbours {
		p = f.neighbour(name)
		f.neighbours[name] = p
	}
	return p.exists, p.known
}

// placeOf returns the folder to which the search of Above is confined, and the path
// of dir in it; "" if dir cannot be resolved.
func placeOf(dir string) (top, rel string) {
	real, err := resolve(dir)
	if err != nil {
		return "", ""
	}
	top, ok := Repository(real)
	if !ok {
		top = filepath.Dir(filepath.Dir(real))
	}
	rel, err = filepath.Rel(top, real)
	if err != nil {
		return "", ""
	}
	return top, filepath.ToSlash(rel)
}

func (f *skillFolder) neighbour(name string) presence {
	top, rel := f.place()
	local := filepath.FromSlash(path.Join(rel, name))
	if top == "" || !filepath.IsLocal(local) {
		return presence{}
	}
	root, err := files.OpenFolder(top)
	if err != nil {
		return presence{}
	}
	defer root.Close()
	_, err = root.Stat(local)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	return presence{exists: err == nil, known: err == nil || missing}
}
