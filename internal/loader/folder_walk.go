package loader

// One walk lists the folder of a skill, for rules and for an agent. It goes down level by
// level, so that its limits leave out what is deepest. It follows a link to a folder at
// most once on a path, and never to a folder that contains the link.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"skills/internal/spec"
)

// folderWalk lists a skill's folder level by level. Checks and the listing for
// an agent use different options.
type folderWalk struct {
	depth   int  // levels of folders below the skill's own
	entries int  // maximum number of files and folders
	links   bool // also enter links to folders, but no second link below one
	all     bool // also enter hidden and generated folders, except .git
}

// walkEntry is a file or folder found by a walk.
type walkEntry struct {
	spec.File
	// target is the mode after following links; irregular if the link is broken
	// or leads out of the skill.
	target fs.FileMode
}

// omission is a folder that a walk skipped or listed only in part.
type omission struct {
	name string // slash path, "" for the skill's own folder
	err  error  // errDepth, errFull, errEntries, or the file system's
}

var (
	errDepth = errors.New("too deep")
	errFull  = errors.New("too many files and folders")
)

// walkFolder is a folder to read.
type walkFolder struct {
	name string // slash path, "" for the skill's own
	at   int    // its index among the entries, -1 for the skill's own
	link bool   // reached through a link
}

// run lists the folder opened as root, ordered by level and name. Links never
// lead out of root. The only error is that of the context.
func (w folderWalk) run(ctx context.Context, root *os.Root) (entries []walkEntry, omitted []omission, err error) {
	level := []walkFolder{{at: -1}}
	for depth := 0; len(level) > 0; depth++ {
		if depth > w.depth {
			return entries, append(omitted, omission{level[0].name, errDepth}), nil
		}
		var next []walkFolder
		for _, f := range level {
			if err := context.Cause(ctx); err != nil {
				return nil, nil, err
			}
			listed, err := listIn(root, f.name)
			if err != nil {
				omitted = append(omitted, omission{f.name, err})
			} else if f.at >= 0 {
				entries[f.at].Skipped = false
			}
			for _, e := range listed {
				if len(entries) == w.entries {
					if f.at >= 0 {
						entries[f.at].Skipped = true
					}
					return entries, append(omitted, omission{e.Name, errFull}), nil
				}
				if below, ok := w.enter(root, f, e, len(entries)); ok {
					next = append(next, below)
				}
				entries = append(entries, e)
			}
		}
		level = next
	}
	return entries, omitted, nil
}

// enter returns the folder behind the entry with index at; ok is false for
// files and for folders that are not entered.
func (w folderWalk) enter(root *os.Root, in walkFolder, e walkEntry, at int) (below walkFolder, ok bool) {
	base, link := path.Base(e.Name), !e.Mode.IsDir()
	switch {
	case !e.target.IsDir(), base == ".git", !w.all && isPrivate(base):
		return below, false
	case !link:
	case !w.links, in.link, leadsUp(root, e.Name):
		return below, false
	}
	return walkFolder{name: e.Name, at: at, link: in.link || link}, true
}

// leadsUp reports whether a link leads to a folder that contains it.
func leadsUp(root *os.Root, link string) bool {
	target, err := root.Stat(filepath.FromSlash(link))
	for dir := link; err == nil && dir != "."; {
		dir = path.Dir(dir)
		above, _ := root.Stat(filepath.FromSlash(dir))
		if above == nil || os.SameFile(above, target) {
			return true
		}
	}
	return err != nil
}

// listIn returns the entries of a folder below root, sorted by name.
func listIn(root *os.Root, name string) ([]walkEntry, error) {
	f, err := root.OpenFile(filepath.FromSlash(path.Join(".", name)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	listed, err := listDir(f)
	entries := make([]walkEntry, 0, len(listed))
	for _, e := range listed {
		entries = append(entries, describe(root, path.Join(name, e.Name()), e))
	}
	return entries, err
}

// describe examines one entry. A folder counts as skipped until it is read.
func describe(root *os.Root, name string, e fs.DirEntry) walkEntry {
	out := walkEntry{File: spec.File{Name: name, Mode: e.Type(), Skipped: e.IsDir()}, target: e.Type()}
	if e.IsDir() {
		return out
	}
	if info, err := e.Info(); err == nil {
		out.Mode, out.Size, out.target = info.Mode(), info.Size(), info.Mode()
	}
	if out.Mode&(fs.ModeSymlink|fs.ModeIrregular) != 0 { // junctions are irregular
		out.Link, _ = root.Readlink(filepath.FromSlash(name))
		info, err := root.Stat(filepath.FromSlash(name))
		if err != nil {
			out.Outside, out.target = true, fs.ModeIrregular
			return out
		}
		out.target, out.Skipped = info.Mode(), info.IsDir()
	}
	return out
}

// isPrivate reports whether name is that of a hidden or generated file or
// folder.
func isPrivate(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__"
}
