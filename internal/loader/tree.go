package loader

import (
	"fmt"
	"io/fs"
	"os"
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
	plain  beneath  // the same for what is plain
	holds  int
	held   []fs.DirEntry // what the folder held when it was found, nil where that is not known
	listed bool
	files  []spec.File
	gaps   []spec.Gap
	read   map[string]*content
	budget int64 // bytes that may still be read

	// What is around the folder; see Above.
	real, top string // the folder with links resolved, and what is looked at around it
	above     map[string]presence
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
	t := &folderTree{dir: dir, plain: beneath{dir: dir}, budget: maxTreeBytes}
	if own != "" && src != nil {
		t.read = map[string]*content{own: {data: src, whole: true}}
	}
	return t
}

// List returns the entries below the folder, sorted by name, at most 10,000 of
// them, those of upper levels first. A folder whose contents are not listed,
// or not all of them, is Skipped: hidden ones, node_modules and __pycache__,
// unreadable ones, what lies too deep, and links to folders; Gaps tells those
// that are not skipped for their kind. Links are never
// followed; an absolute one counts as one that leads out, for no other machine
// has what it names.
func (t *folderTree) List() []spec.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list()
	return t.files
}

// Gaps implements spec.Files: folders that could not be read, and where the
// list was cut.
func (t *folderTree) Gaps() []spec.Gap {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list()
	return t.gaps
}

// list reads the folder once.
func (t *folderTree) list() {
	if t.listed {
		return
	}
	t.listed = true
	t.holds++
	defer t.done()
	if _, ok := t.plain.folder(""); !ok {
		if _, err := t.open(); err != nil {
			return // nor was the skill's own file read, which its check tells
		}
	}
	t.files, t.gaps = t.look()
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
	t.files, t.gaps, t.listed, t.held, t.read, t.budget, t.above = nil, nil, false, nil, nil, maxTreeBytes, nil
	return nil
}

// open returns the folder, opened once for all who hold it; the caller does.
func (t *folderTree) open() (root *os.Root, err error) {
	if t.root == nil {
		if t.root, err = os.OpenRoot(t.dir); err != nil {
			return nil, fmt.Errorf("opening skill folder: %w", err)
		}
	}
	return t.root, nil
}

// done ends one hold; the last closes the folder.
func (t *folderTree) done() {
	if t.holds--; t.holds > 0 {
		return
	}
	t.plain.close()
	if t.root != nil {
		t.root.Close()
		t.root = nil
	}
}
