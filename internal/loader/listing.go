package loader

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// How much of a skill's folder is listed.
const (
	maxListed        = 2_000 // files
	maxListedFolders = 2_000
	listDepth        = 8 // folders below the skill's own
)

// Listing is what a skill's folder offers, names relative to it with slashes,
// sorted.
type Listing struct {
	Resources, Scripts []string
}

// List lists the files of a skill's folder that are of one of the kinds. It
// leaves out SKILL.md in any case, that of skills further down too; hidden
// files and folders; node_modules and __pycache__; and links that leave the
// folder. A link to a folder is listed through, but not a second link in it.
// Troubles and cuts are notices, in a fixed order.
func List(ctx context.Context, dir string, kinds Kinds, notify Notify) (Listing, error) {
	if err := kinds.Check(); err != nil {
		return Listing{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Listing{}, fmt.Errorf("reading skill folder: %w", err)
	}
	defer root.Close()
	if notify == nil {
		notify = func(Notice) {}
	}
	l := &lister{dir: dir, root: root, kinds: kinds.orDefault(), notify: notify}
	own, err := root.Stat(".")
	if err != nil {
		return Listing{}, fmt.Errorf("reading skill folder: %w", err)
	}
	level := []listed{{name: ".", trail: []fs.FileInfo{own}}}
	for depth := 0; depth <= listDepth && len(level) > 0; depth++ {
		var next []listed
		for _, f := range level {
			if err := context.Cause(ctx); err != nil {
				return Listing{}, err
			}
			next = append(next, l.folder(f)...)
		}
		if depth == listDepth && len(next) > 0 {
			l.cut(next[0].name, fmt.Sprintf("only %d levels of folders are listed", listDepth))
		}
		level = next
	}
	slices.Sort(l.out.Resources)
	slices.Sort(l.out.Scripts)
	return l.out, nil
}

type lister struct {
	dir     string
	root    *os.Root
	kinds   Kinds
	notify  Notify
	out     Listing
	folders int
	wasCut  bool
}

// listed is a folder on the way.
type listed struct {
	name  string        // slash path from the root
	trail []fs.FileInfo // the folder itself last, before it those above it
	link  bool          // reached through a link
}

// folder lists one folder and returns those in it.
func (l *lister) folder(f listed) (below []listed) {
	if l.folders++; l.folders > maxListedFolders {
		l.cut(f.name, fmt.Sprintf("only %d folders of a skill are listed", maxListedFolders))
		return nil
	}
	entries, err := l.readDir(f.name)
	if err != nil {
		n := unreadable(filepath.Join(l.dir, filepath.FromSlash(f.name)), err)
		n.Hint = "files in it are not offered"
		l.notify(n)
	}
	for _, e := range entries {
		name := path.Join(f.name, e.Name())
		if isSkillFileName(e.Name()) || neverListed(e.Name()) {
			continue
		}
		info, err := l.root.Stat(filepath.FromSlash(name))
		if err != nil {
			continue // a link that leaves the folder, or leads nowhere
		}
		switch {
		case info.Mode().IsRegular():
			l.file(name)
		case info.IsDir():
			link := !e.IsDir()
			loop := slices.ContainsFunc(f.trail, func(above fs.FileInfo) bool { return os.SameFile(above, info) })
			if !loop && (!link || !f.link) {
				below = append(below, listed{name, append(slices.Clip(f.trail), info), f.link || link})
			}
		}
	}
	return below
}

// file puts a regular file where it belongs. What can be run is a script and
// not a resource too.
func (l *lister) file(name string) {
	to := &l.out.Resources
	switch {
	case hasExtension(name, l.kinds.ScriptExtensions), len(l.kinds.ScriptExtensions) > 0 && isScriptByContent(l.root, name):
		to = &l.out.Scripts
	case !hasExtension(name, l.kinds.ResourceExtensions):
		return
	}
	if len(l.out.Resources)+len(l.out.Scripts) == maxListed {
		l.cut(name, fmt.Sprintf("only %d files of a skill are listed", maxListed))
		return
	}
	*to = append(*to, name)
}

// cut says once that something was left out.
func (l *lister) cut(name, message string) {
	if !l.wasCut {
		l.wasCut = true
		l.notify(Notice{Path: filepath.Join(l.dir, filepath.FromSlash(name)), Message: message + ": this and more is left out", Hint: "keep what the skill does not need out of its folder"})
	}
}

func (l *lister) readDir(name string) ([]fs.DirEntry, error) {
	f, err := l.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return listDir(f)
}

// isScriptByContent reports whether a file below scripts/ starts with a
// shebang.
func isScriptByContent(root *os.Root, name string) bool {
	if !strings.HasPrefix(name, "scripts/") {
		return false
	}
	f, _, err := openRegular(root, name)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == "#!"
}
