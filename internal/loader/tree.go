package loader

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/spec"
)

// How much of a skill's folder rules get to see.
const (
	maxTreeEntries = 10_000
	maxTreeDepth   = 12       // folders below the skill's own
	maxTreeBytes   = 16 << 20 // of contents, all files together
)

// folderTree is a skill's folder as rules see it. Nothing is looked at before
// it is asked for: a run without rules about files costs no more than the
// SKILL.md. What was seen is kept until Close.
//
// No file is held open between two calls, for a run has thousands of skills;
// Hold keeps the folder itself open over many of them. It may be used from
// several goroutines.
type folderTree struct {
	dir string

	mu     sync.Mutex
	root   *os.Root // open from its first use to the end of the last hold
	holds  int
	listed bool
	files  []spec.File
	read   map[string]*content
	budget int64 // bytes that may still be read
}

// content is what was read of a file.
type content struct {
	data  []byte
	whole bool // whether there is no more of it
	err   error
}

// newTree returns the folder dir. own is the skill's file, which was read
// already, so that it is not read again; "" or nil src for none.
func newTree(dir, own string, src []byte) *folderTree {
	t := &folderTree{dir: dir, budget: maxTreeBytes}
	if own != "" && src != nil {
		t.read = map[string]*content{own: {data: src, whole: true}}
	}
	return t
}

// List returns the entries below the folder, sorted by name, at most 10,000 of
// them, those of upper levels first. A folder whose contents are not listed,
// or not all of them, is Skipped: hidden ones, node_modules and __pycache__,
// unreadable ones, what lies too deep, and links to folders. Links are never
// followed; an absolute one counts as one that leads out, for no other machine
// has what it names.
func (t *folderTree) List() []spec.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.listed {
		t.listed = true
		if root, done, err := t.open(); err == nil {
			t.files = listTree(root)
			done()
		}
	}
	return t.files
}

// Hold keeps the folder open, once it was opened, until release is called, so
// that reading many files is cheaper.
func (t *folderTree) Hold() (release func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.done()
	})
}

// Close drops what was listed and read. A later use starts anew.
func (t *folderTree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.listed, t.read, t.budget = nil, false, nil, maxTreeBytes
	return nil
}

// open returns the folder, opened once for all who hold it.
func (t *folderTree) open() (root *os.Root, done func(), err error) {
	if t.root == nil {
		if t.root, err = os.OpenRoot(t.dir); err != nil {
			return nil, nil, fmt.Errorf("opening skill folder: %w", err)
		}
	}
	t.holds++
	return t.root, t.done, nil
}

// done ends one hold; the last closes the folder.
func (t *folderTree) done() {
	if t.holds--; t.holds == 0 && t.root != nil {
		t.root.Close()
		t.root = nil
	}
}

func listTree(root *os.Root) []spec.File {
	var out []spec.File
	level := []int{-1} // places in out of the folders to be read; -1 is the root
	for depth := 0; len(level) > 0; depth++ {
		var next []int
		for _, at := range level {
			dir := ""
			if at >= 0 {
				dir = out[at].Name
			}
			entries, err := readDirIn(root, dir)
			whole := err == nil
			for _, e := range entries {
				if len(out) == maxTreeEntries {
					whole = false
					break
				}
				f := treeFile(root, path.Join(dir, e.Name()), e)
				if f.Mode.IsDir() && depth < maxTreeDepth && !closedFolder(e.Name()) {
					next = append(next, len(out))
				}
				out = append(out, f)
			}
			if at >= 0 && whole {
				out[at].Skipped = false
			}
		}
		level = next
	}
	slices.SortFunc(out, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	return out
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
