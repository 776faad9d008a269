package loader

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

const skillFileName = "SKILL.md"

// maxEntries is how many names of one folder are looked at.
const maxEntries = 100_000

var (
	errNotFolder = errors.New("not a folder")
	errEntries   = errors.New("holds more than 100,000 entries, the rest was not looked at")
)

// scan reads one folder.
func (w *walk) scan(ctx context.Context, f folder) (c contents) {
	entries, err := w.readDir(f.dir)
	if err != nil {
		c.err = err
		c.notices = append(c.notices, unreadable(f.dir, err))
	}
	if errors.Is(err, errEntries) {
		entries = f.complete(entries)
	}
	c.notices = append(c.notices, f.enter(entries)...)
	name, exact := skillEntry(entries)
	if name != "" && f.level > 0 && f.skips(name, false) {
		name, exact = "", false
	}
	if name != "" {
		c.skill = &Found{Dir: f.dir, Real: f.real, File: name}
	}
	if exact {
		if err != nil {
			c.notices[0].Unseen = false // what is in a skill is the business of its check
		}
		if err == nil {
			c.skill.entries = entries
		}
		c.skill.nested = sync.OnceValue(func() []string { return w.nested(ctx, f, entries) })
		return c
	}
	for _, e := range entries {
		child, ok := f.child(e)
		switch {
		case !ok:
		case e.IsDir():
			c.below = append(c.below, child)
		default:
			c.links = append(c.links, child)
		}
	}
	return c
}

// complete adds the entries that a search depends on to a list that was cut:
// which names a disk lists first is its own affair.
func (f *folder) complete(entries []fs.DirEntry) []fs.DirEntry {
	for _, name := range []string{".git", ".gitignore", skillFileName} {
		if info, err := os.Lstat(filepath.Join(f.dir, name)); err == nil {
			entries = append(entries, fs.FileInfoToDirEntry(info))
		}
	}
	sortEntries(entries)
	return slices.CompactFunc(entries, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() })
}

// enter adds what the folder itself ignores, and tells of an ignore file that
// is none.
func (f *folder) enter(entries []fs.DirEntry) (notices []Notice) {
	for _, e := range entries {
		if e.Name() == ".git" {
			f.ignores = repositoryIgnores(f.real)
		}
	}
	if f.ignores == nil {
		return nil
	}
	for _, e := range entries {
		if e.Name() != ".gitignore" {
			continue
		}
		patterns, err := readIgnoreFile(filepath.Join(f.real, ".gitignore"))
		if err != nil {
			notices = append(notices, Notice{
				Path:    filepath.Join(f.dir, ".gitignore"),
				Message: "cannot be used: " + reason(err).Error(),
				Hint:    "what it would ignore is searched: put a readable text file there",
			})
		}
		f.ignores = f.ignores.with(f.real, patterns)
	}
	return notices
}

// child returns the folder, or link that may lead to one, behind an entry; ok
// is false for everything else and for what is not searched.
func (f *folder) child(e fs.DirEntry) (child folder, ok bool) {
	link := e.Type()&fs.ModeSymlink != 0 || e.Type()&fs.ModeIrregular != 0 // junctions are irregular
	if !e.IsDir() && !link || neverSearched(e.Name()) || f.skips(e.Name(), e.IsDir()) {
		return folder{}, false
	}
	child = *f
	child.level++
	child.dir = filepath.Join(f.dir, e.Name())
	child.abs = filepath.Join(f.abs, e.Name())
	child.real = filepath.Join(f.real, e.Name())
	return child, true
}

func (f *folder) skips(name string, isDir bool) bool {
	return f.ignores.ignored(filepath.Join(f.real, name), isDir) || f.excludes.ignored(filepath.Join(f.abs, name), isDir)
}

func neverSearched(name string) bool { return name == ".git" || name == "node_modules" }

// skillEntry returns the entry that makes a folder a skill, "" if none does;
// exact says that it has the very name. The exact name counts whatever is
// behind it, so that a SKILL.md that is a folder or a pipe can be named.
func skillEntry(entries []fs.DirEntry) (name string, exact bool) {
	for _, e := range entries {
		if e.Name() == skillFileName {
			return skillFileName, true
		}
		if name == "" && isSkillFileName(e.Name()) && e.Type().IsRegular() {
			name = e.Name()
		}
	}
	return name, false
}

func isSkillFileName(name string) bool { return strings.EqualFold(name, skillFileName) }

func unreadable(dir string, err error) Notice {
	if errors.Is(err, errEntries) {
		return Notice{Path: dir, Message: "folder " + errEntries.Error(), Hint: "name the folders that hold the skills, or exclude this one", Unseen: true}
	}
	return Notice{
		Path:    dir,
		Message: "cannot read folder: " + reason(err).Error(),
		Hint:    "skills in it are not seen: make it readable or exclude it",
		Unseen:  true,
	}
}

// reason strips the operation and the path off an error of the file system.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// readAnyDir is readDir for folders of every kind and size.
func readAnyDir(dir string) ([]fs.DirEntry, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return listDir(f)
}

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
	sortEntries(entries)
	return entries, err
}

func sortEntries(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}
