package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/spec"
)

// look lists what is below the folder, level by level, and tells what it leaves
// out although it belongs to the skill.
func (t *folderTree) look() ([]spec.File, []spec.Gap) {
	l := treeLister{tree: t}
	level := []int{-1} // places in files of the folders to be read; -1 is the root
	for depth := 0; len(level) > 0 && !l.full; depth++ {
		var next []int
		for _, at := range level {
			if l.full {
				break
			}
			next = append(next, l.folder(at)...)
		}
		if level = next; depth == maxTreeDepth && len(next) > 0 {
			l.gap(l.files[next[0]].Name, fmt.Sprintf("lies more than %d folders deep: it and others like it were not looked at", maxTreeDepth), "put the files that the skill needs nearer to its SKILL.md")
			break
		}
	}
	slices.SortFunc(l.files, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	return l.files, l.gaps
}

type treeLister struct {
	tree  *folderTree
	files []spec.File
	gaps  []spec.Gap
	full  bool // there are more than maxTreeEntries
}

func (l *treeLister) gap(name, reason, help string) {
	l.gaps = append(l.gaps, spec.Gap{Name: name, Reason: reason, Help: help})
}

// folder lists one folder, -1 for the root, and returns the places of those in
// it.
func (l *treeLister) folder(at int) (below []int) {
	dir := ""
	if at >= 0 {
		dir = l.files[at].Name
	}
	entries, err := l.tree.entries(dir)
	if err != nil && !errors.Is(err, errEntries) {
		l.gap(dir, fmt.Sprintf("cannot be read: %v", reason(err)), "check its permissions: nothing in it was looked at")
	}
	within := ""
	if dir != "" {
		within = dir + "/"
	}
	for _, e := range entries {
		if len(l.files) == maxTreeEntries {
			l.full = true
			l.gap("", fmt.Sprintf("holds more than %d files and folders: the rest, from %q on, was not looked at", maxTreeEntries, within+e.name), "keep what the skill does not need out of its folder")
			return nil
		}
		f := l.tree.file(within+e.name, e)
		if f.Mode.IsDir() && !closedFolder(e.name) {
			below = append(below, len(l.files))
		}
		l.files = append(l.files, f)
	}
	if at >= 0 && err == nil {
		l.files[at].Skipped = false
	}
	return below
}

// closedFolder reports folders that hold nothing of the skill's own.
func closedFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__"
}

// entry is one of a folder's, with what is known of it without following links.
type entry struct {
	name string
	mode fs.FileMode
	size int64
}

// file describes one entry. Folders count as skipped until they are read.
func (t *folderTree) file(name string, e entry) spec.File {
	f := spec.File{Name: name, Mode: e.mode, Size: e.size}
	switch {
	case f.Mode.IsDir():
		f.Skipped = true
	case f.Mode&(fs.ModeSymlink|fs.ModeIrregular) != 0: // junctions are irregular
		root, err := t.open()
		if err != nil {
			f.Outside = true
			break
		}
		f.Link, _ = root.Readlink(filepath.FromSlash(name))
		info, err := root.Stat(filepath.FromSlash(name))
		f.Outside = err != nil
		f.Skipped = err == nil && info.IsDir()
	}
	return f
}

// entries lists a folder, "" for the skill's own, without waiting for whatever
// it may have become.
func (t *folderTree) entries(name string) ([]entry, error) {
	var known []fs.DirEntry
	if name == "" {
		known = t.held
	}
	if entries, ok := t.plain.list(name, known); ok {
		return entries, nil
	}
	root, err := t.open()
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(filepath.FromSlash(path.Join(".", name)), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	listed, err := listDir(f)
	entries := make([]entry, len(listed))
	for i, e := range listed {
		entries[i] = entry{name: e.Name(), mode: e.Type()}
		if info, err := e.Info(); err == nil {
			entries[i].mode, entries[i].size = info.Mode(), info.Size()
		}
	}
	return entries, err
}
