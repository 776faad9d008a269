package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"skills/internal/files"
	"skills/internal/loader"
)

// walk visits the files below a place in order, without those that Git ignores. Links are
// not followed.
type walk struct {
	access access
	// visit gets a file by its path below the place, with the folder that holds it; it
	// returns false to end the walk.
	visit func(rel string, root *os.Root, base string) bool

	more  bool // the walk ended before all files were visited
	count int  // entries so far
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// run visits the files below a place; for a file, only that, with the path ".".
func (w *walk) run(ctx context.Context, p place) error {
	dir, err := w.access.openDir(p)
	if errors.Is(err, errFile) {
		root, base, err := w.access.parent(p, false)
		if err != nil {
			return err
		}
		defer root.Close()
		w.visit(".", root, base)
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	err = w.folder(ctx, dir, p.real, "", loader.IgnoresAt(p.real))
	if errors.Is(err, errEnough) {
		w.more = true
		return nil
	}
	return err
}

// maxDepth is how many folders deep a walk goes.
const maxDepth = 100

// maxIgnoreFile is the size of the largest .gitignore that is read.
const maxIgnoreFile = 1 << 20

// folder visits the files of an open folder.
func (w *walk) folder(ctx context.Context, dir *os.Root, real, rel string, ignores loader.Ignores) error {
	names, err := entries(dir)
	if err != nil {
		return err
	}
	ignores = ignores.Enter(real, ignoreFile(dir))
	for _, entry := range names {
		name, isDir := strings.CutSuffix(entry, "/")
		at, below := filepath.Join(real, name), path.Join(rel, name)
		w.count++
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case w.count > maxEntries:
			return errEnough
		case isDir && name == ".git", w.access.isHidden(at), ignores.Ignored(at, isDir):
		case isDir && strings.Count(below, "/") >= maxDepth:
			w.more = true
		case isDir:
			next, err := w.access.enter(dir, name, false)
			if err != nil {
				continue // it may not be read, or it has just been removed
			}
			err = w.folder(ctx, next, at, below, ignores)
			next.Close()
			if err != nil && (errors.Is(err, errEnough) || ctx.Err() != nil) {
				return err
			}
		case !w.visit(below, dir, name):
			return errEnough
		}
	}
	return nil
}

// ignoreFile returns the text of a folder's .gitignore, if it is a plain file.
func ignoreFile(dir *os.Root) []byte {
	info, err := dir.Lstat(".gitignore")
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return nil
	}
	file, now, err := files.OpenIn(dir, ".gitignore", func(fs.FileInfo) error { return nil })
	if err != nil {
		return nil
	}
	defer file.Close()
	if !os.SameFile(info, now) {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	return text
}
