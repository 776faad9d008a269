package loader

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Search says how far and where folders are searched for skills. The zero
// value is the search of the command line.
type Search struct {
	// Depth is how many levels below a root are searched, the root itself
	// being level 0. 0 stands for 6, less than 0 for the root alone.
	Depth int
	// Exclude are patterns in the syntax of a .gitignore file, relative to
	// ExcludeFrom. Like ignored folders, excluded ones are searched when they
	// are the root.
	Exclude []string
	// ExcludeFrom is the folder that Exclude speaks of, "" for the root.
	ExcludeFrom string
	// OwnIgnores leaves the .gitignore files above a root alone. An agent
	// uses the skills of its folders whether or not a repository tracks them.
	OwnIgnores bool
	// MaxFolders is how many folders are read for one root, 0 for 200,000.
	MaxFolders int
	// Notify hears of folders that could not be read and of searches cut
	// short; nil hears nothing. It is called at the end, in a fixed order.
	Notify Notify

	readDir func(dir string) ([]fs.DirEntry, error) // nil reads the disk
}

const (
	defaultDepth      = 6
	defaultMaxFolders = 200_000
)

// Found is a folder that is a skill, or wants to be one.
type Found struct {
	// Dir is the folder as a user would write it: the root joined with the
	// way to it, links not resolved.
	Dir string
	// Real is its absolute path with links resolved: what it is known by.
	Real string
	// File is the entry that makes it a skill, as the directory lists it:
	// "SKILL.md" of whatever type, else a regular file with another case such
	// as "skill.md", else "".
	File string

	nested  func() []string // nil for none
	entries []fs.DirEntry   // what the folder held when it was found, nil where that is not known
}

// Nested returns the SKILL.md files further down in this folder, relative with
// slashes, sorted; the first hundred of them. The folder is looked through when
// it is first called.
func (f Found) Nested() []string {
	if f.nested == nil {
		return nil
	}
	return f.nested()
}

// lists reports whether the folder held a regular file when it was found.
func (f Found) lists(name string) bool {
	at, ok := slices.BinarySearchFunc(f.entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	return ok && f.entries[at].Type().IsRegular()
}

// Again looks once more which entry makes the folder a skill.
func (f Found) Again() Found {
	if entries, err := readDir(f.Dir); err == nil {
		f.File, _ = skillEntry(entries)
	}
	return f
}

// Find returns the skills at and below root, sorted by path in the byte order
// of slash paths. A root that is missing, no folder, or unreadable is an
// error; trouble further down is a notice.
//
// A folder with a SKILL.md is not searched for further skills. One with only
// a differently cased name is: a page of documentation must not hide the
// skills below it. Links to folders are followed once each, after everything
// that is reached without them, and a skill reached twice is listed once.
func (s Search) Find(ctx context.Context, root string) ([]Found, error) {
	w, err := s.start(root)
	if err != nil {
		return nil, err
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	if len(w.found) == 0 && w.cut && w.depth > 0 {
		w.notices = append(w.notices, Notice{
			Path:    filepath.Clean(root),
			Message: fmt.Sprintf("no skill in %d levels of folders below it; those further down were not searched", w.depth),
			Hint:    "name a folder nearer to the skills",
		})
	}
	if s.Notify != nil {
		slices.SortStableFunc(w.notices, func(a, b Notice) int { return strings.Compare(a.Path, b.Path) })
		for _, n := range w.notices {
			s.Notify(n)
		}
	}
	found := Unique(w.found)
	slices.SortFunc(found, func(a, b Found) int {
		return strings.Compare(filepath.ToSlash(a.Dir), filepath.ToSlash(b.Dir))
	})
	return found, nil
}

// Inspect looks at one folder alone and returns it with the entry that makes
// it a skill; File is "" where there is none.
func (s Search) Inspect(ctx context.Context, dir string) (Found, error) {
	s.Depth, s.Notify = -1, nil
	found, err := s.Find(ctx, dir)
	if err != nil || len(found) > 0 {
		return append(found, Found{})[0], err
	}
	real, err := resolve(dir)
	return Found{Dir: filepath.Clean(dir), Real: real}, err
}

// Unique drops folders that came before, by whatever path. Order is kept.
func Unique(found []Found) []Found {
	seen := make(map[string][]string, len(found))
	var out []Found
next:
	for _, f := range found {
		// Disks that do not tell cases apart list a folder under one name but
		// answer to several; only names alike but for case need a closer look.
		key := strings.ToLower(f.Real)
		for _, other := range seen[key] {
			if other == f.Real || sameFile(other, f.Real) {
				continue next
			}
		}
		seen[key] = append(seen[key], f.Real)
		out = append(out, f)
	}
	return out
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// resolve returns the absolute path of what dir leads to.
func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", dir, err)
	}
	return real, nil
}
