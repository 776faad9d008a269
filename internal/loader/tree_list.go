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

// listTree lists what is below root, level by level, and tells what it leaves
// out although it belongs to the skill.
func listTree(root *os.Root) ([]spec.File, []spec.Gap) {
	var l treeLister
	level := []int{-1} // places in files of the folders to be read; -1 is the root
	for depth := 0; len(level) > 0 && !l.full; depth++ {
		var next []int
		for _, at := range level {
			if l.full {
				break
			}
			next = append(next, l.folder(root, at)...)
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
	files []spec.File
	gaps  []spec.Gap
	full  bool // there are more than maxTreeEntries
}

func (l *treeLister) gap(name, reason, help string) {
	l.gaps = append(l.gaps, spec.Gap{Name: name, Reason: reason, Help: help})
}

// folder lists one folder, -1 for the root, and returns the places of those in
// it.
func (l *treeLister) folder(root *os.Root, at int) (below []int) {
	dir := ""
	if at >= 0 {
		dir = l.files[at].Name
	}
	entries, err := readDirIn(root, dir)
	if err != nil && !errors.Is(err, errEntries) {
		l.gap(dir, fmt.Sprintf("cannot be read: %v", reason(err)), "check its permissions: nothing in it was looked at")
	}
	for _, e := range entries {
		if len(l.files) == maxTreeEntries {
			l.full = true
			l.gap("", fmt.Sprintf("holds more than %d files and folders: the rest, from %q on, was not looked at", maxTreeEntries, path.Join(dir, e.Name())), "keep what the skill does not need out of its folder")
			return nil
		}
		f := treeFile(root, path.Join(dir, e.Name()), e)
		if f.Mode.IsDir() && !closedFolder(e.Name()) {
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

// treeFile describes one entry. Folders count as skipped until they are read.
func treeFile(root *os.Root, name string, e fs.DirEntry) spec.File {
	f := spec.File{Name: name, Mode: e.Type()}
	if info, err := e.Info(); err == nil {
		f.Mode, f.Size = info.Mode(), info.Size()
	}
	switch {
	case f.Mode.IsDir():
		f.Skipped = true
	case f.Mode&(fs.ModeSymlink|fs.ModeIrregular) != 0: // junctions are irregular
		f.Link, _ = root.Readlink(filepath.FromSlash(name))
		info, err := root.Stat(filepath.FromSlash(name))
		f.Outside = err != nil
		f.Skipped = err == nil && info.IsDir()
	}
	return f
}

// readDirIn lists a folder of root, "" for root itself, without waiting for
// whatever it may have become.
func readDirIn(root *os.Root, name string) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(filepath.FromSlash(path.Join(".", name)), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return listDir(f)
}
