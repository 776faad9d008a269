package loader

// The search for skills goes down level by level. The folders of a level are listed in
// parallel and visited in order, so that the result is the same every time. Links to
// folders are followed after all real folders, so that a skill has its real path, and a
// folder that was reached before is not searched again.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Limits for the search for skills inside a skill.
const (
	nestedDepth   = 8
	nestedFolders = 20_000
)

// Limits for the search below the last level, which only counts the skills there.
const (
	deepDepth   = 16
	deepFolders = 20_000
)

// maxListings is how many folders are listed before the first of them is
// visited.
const maxListings = 1024

// search is the state of a search. The folders of a level are read in parallel
// and visited in order, so that the result is deterministic.
type search struct {
	Search
	depth   int
	folders int    // maximum number of folders to read
	inside  bool   // searches inside a skill: does not stop at skills, follows no links
	root    string // resolved

	queue   []folder       // to read next
	links   []folder       // links to folders, followed when the queue is empty
	visited map[string]int // resolved path to the level it was read at
	read    int            // number of folders read
	omissions

	found   []Found
	other   bool // Folder has found something to check
	notices []Notice
}

// omissions are what a search skipped.
type omissions struct {
	cut     bool     // folders below the last level
	deep    []folder // those outside of skills
	skipped string   // the first folder that is ignored
	exclude string   // the first pattern of Exclude that matched something
}

// folder is a folder to read.
type folder struct {
	dir, abs, real string // as a user would write it, absolute, with links resolved
	level          int
	skill          func() bool // whether the skill that contains it has a description; nil outside of skills
	ignores        *ignores    // .gitignore files, nil outside a repository
	excludes       *ignores    // patterns of the configuration
}

func (s Search) start(root string) (*search, error) {
	w := &search{Search: s, depth: cmp.Or(s.Depth, defaultDepth), folders: maxFolders, visited: map[string]int{}}
	if w.readDir == nil {
		w.readDir = readDir
	}
	f := folder{dir: filepath.Clean(root)}
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		err = errNotFolder
	}
	if err == nil {
		f.real, err = resolve(root)
	}
	if err == nil {
		f.abs, err = filepath.Abs(root)
	}
	if err != nil {
		return nil, statError(root, err)
	}
	f.ignores = s.ignoresAt(f.real)
	f.excludes, err = excludesAt(s.Exclude, cmp.Or(s.ExcludeFrom, f.abs), f.abs)
	if err != nil {
		return nil, err
	}
	w.queue, w.root = []folder{f}, f.real
	return w, nil
}

func (w *search) run(ctx context.Context) error {
	for len(w.queue) > 0 || len(w.links) > 0 {
		if len(w.queue) == 0 {
			w.follow()
			continue
		}
		for batch := range slices.Chunk(w.admit(), maxListings) {
			entries, stamps, errs := make([][]fs.DirEntry, len(batch)), make([]fileStamp, len(batch)), make([]error, len(batch))
			err := Parallel(ctx, len(batch), func(i int) {
				entries[i], stamps[i], errs[i] = w.readDir(batch[i].dir)
			})
			if err != nil {
				return err
			}
			w.found = slices.Grow(w.found, len(batch))
			for i, f := range batch {
				if errs[i] != nil && w.read == 1 && !errors.Is(errs[i], errEntries) {
					return statError(f.dir, errs[i])
				}
				if w.listed != nil {
					w.listed(stamps[i])
				}
				w.visit(ctx, f, entries[i], stamps[i], errs[i])
			}
		}
	}
	return nil
}

// admit empties the queue and returns the folders to read: none twice, unless
// the depth limit cut off its first visit.
func (w *search) admit() []folder {
	batch := w.queue[:0]
	for _, f := range w.queue {
		level, seen := w.visited[f.real]
		if seen && (!w.cut || f.level >= level) {
			continue
		}
		if w.read == w.folders {
			w.notices = append(w.notices, Notice{
				Path:    f.dir,
				Message: fmt.Sprintf("search stopped after %d folders: neither this one nor those after it were searched", w.folders),
				Hint:    "name the folders that hold the skills, or exclude large ones",
				Unseen:  true,
			})
			w.read = math.MaxInt
		}
		if w.read > w.folders {
			w.links = nil
			break
		}
		w.visited[f.real] = f.level
		w.read++
		batch = append(batch, f)
	}
	w.queue = nil
	return batch
}

// follow queues the folders that links lead to, and skips all other links. A link to
// a folder that contains the root does not widen the search.
func (w *search) follow() {
	for _, f := range w.links {
		real, err := resolve(f.abs)
		if _, above := below(real, w.root); above {
			continue
		}
		if info, statErr := os.Stat(f.abs); err == nil && statErr == nil && info.IsDir() {
			f.real, f.ignores = real, w.ignoresAt(real)
			w.queue = append(w.queue, f)
		}
	}
	w.links = nil
}

// visit processes the entries of one folder; err is the error of reading it.
func (w *search) visit(ctx context.Context, f folder, entries []fs.DirEntry, stamp fileStamp, err error) {
	from := f
	trouble := f.readIgnores(entries)
	if searched := w.depth > 0 && !w.inside && f.skill == nil; w.Folder != nil && searched {
		w.other = w.Folder(Listed{Dir: f.dir, Real: f.real, Level: f.level, Entries: entries, Skips: f.skips}) || w.other
	}
	name, exact := skillEntry(entries)
	switch {
	case name == "":
	case f.level > 0 && f.skips(name, false):
		w.noteExclude(f, name, false)
		name, exact = "", false
	case !exact && w.depth > 0 && !describesSkill(f.real, name):
		name, exact = "", false // documentation about skills may be named skill.md too
	}
	if err != nil && f.skill == nil { // the check of the skill reports unreadable parts
		n := unreadable(f.dir, err)
		n.Unseen = !exact // the check of the skill reports unreadable parts
		w.notices = append(w.notices, n)
	}
	w.notices = append(w.notices, trouble...)
	if name != "" {
		skill := f.found(name)
		skill.folder = stamp
		skill.plain = err == nil && !slices.ContainsFunc(entries, mayBeScript)
		if exact && (err != nil || slices.ContainsFunc(entries, fs.DirEntry.IsDir)) {
			skill.nested = sync.OnceValue(func() []string { return w.nested(ctx, from) })
		}
		w.found = append(w.found, skill)
	}
	if exact && !w.inside && !w.Nested {
		return
	}
	if exact {
		f.skill = sync.OnceValue(func() bool { return describesSkill(from.real, skillFileName) })
	}
	w.queue = slices.Grow(w.queue, len(entries))
	for _, e := range entries {
		child, ok := f.child(e)
		inSample := f.skill != nil && !w.inside && spec.IsSampleFolder(e.Name())
		switch {
		case ok && inSample && f.skill():
		case !ok && e.IsDir() && e.Name() != ".git":
			w.noteExclude(f, e.Name(), true)
			w.skipped = cmp.Or(w.skipped, filepath.Join(f.dir, e.Name()))
		case !ok || w.inside && !e.IsDir():
		case f.level == w.depth:
			w.cut = true
			if e.IsDir() && f.skill == nil { // nested-skill counts those inside a skill
				w.deep = append(w.deep, child)
			}
		case e.IsDir():
			w.queue = append(w.queue, child)
		default:
			w.links = append(w.links, child)
		}
	}
}

// nested returns the SKILL.md files below a skill's own, for [Found.Nested].
// Unreadable folders are skipped: reading the skill reports them.
func (w *search) nested(ctx context.Context, skill folder) []string {
	skill.level = 0
	in := &search{Search: w.Search, depth: nestedDepth, folders: nestedFolders, inside: true, queue: []folder{skill}, visited: map[string]int{}}
	in.listed = nil // called when the search has ended
	if err := in.run(ctx); err != nil {
		return nil
	}
	var out []string
	for _, f := range in.found {
		if f.Real == skill.real || f.File != skillFileName {
			continue
		}
		file := filepath.Join(f.Real, f.File)
		if info, err := os.Lstat(file); err == nil && !info.IsDir() {
			name, _ := below(skill.real, file)
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// noteDeep reports the skills below the last level, which are not searched.
func (w *search) noteDeep(ctx context.Context, root string) {
	if len(w.deep) == 0 {
		return
	}
	for i := range w.deep {
		w.deep[i].level = 0
	}
	in := &search{Search: w.Search, depth: deepDepth, folders: deepFolders, root: w.root, queue: w.deep, visited: map[string]int{}}
	in.listed = nil
	if err := in.run(ctx); err != nil {
		return
	}
	seen := map[string]bool{} // by links
	for _, f := range w.found {
		seen[f.Real] = true
	}
	in.found = slices.DeleteFunc(in.found, func(f Found) bool { return seen[f.Real] })
	stopped := in.read > in.folders
	levels := printable.Plural(w.depth, "level")
	n := Notice{Path: root, Unseen: true, Hint: "name a folder nearer to them to include them"}
	switch {
	case len(in.found) > 0:
		slices.SortFunc(in.found, func(a, b Found) int { return strings.Compare(a.Dir, b.Dir) })
		atLeast := ""
		if stopped {
			atLeast = "at least "
		}
		n.Message = fmt.Sprintf("skipped %s%s more than %s deep; the first is %s", atLeast, printable.Plural(len(in.found), "skill"), levels, in.found[0].Dir)
	case stopped:
		n.Message, n.Hint = fmt.Sprintf("skipped %s more than %s deep", printable.Plural(len(w.deep), "folder"), levels), "name the folders that hold skills"
	default:
		return
	}
	w.notices = append(w.notices, n)
}

// found returns the folder as a skill; file is the entry that makes it one.
func (f *folder) found(file string) Found {
	return Found{Dir: f.dir, Real: f.real, File: file, name: filepath.Base(f.abs)}
}

// readIgnores adds the folder's own ignore file, and reports an unreadable one.
func (f *folder) readIgnores(entries []fs.DirEntry) (notices []Notice) {
	for _, e := range entries { // sorted by name
		switch {
		case e.Name() == ".git":
			f.ignores = repositoryIgnores(f.real)
		case e.Name() == ".gitignore" && f.ignores != nil:
			patterns, err := readIgnoreFile(filepath.Join(f.real, ".gitignore"))
			if err != nil {
				notices = append(notices, Notice{
					Path:    filepath.Join(f.dir, ".gitignore"),
					Message: "cannot be used: " + files.Reason(err).Error(),
					Hint:    "what it would ignore is searched: put a readable text file there",
				})
			}
			f.ignores = &ignores{f.ignores, f.real, patterns}
		}
	}
	return notices
}

// noteExclude records the pattern of the configuration that skipped an entry.
func (w *search) noteExclude(f folder, name string, isDir bool) {
	if p := f.excludes.decisive(filepath.Join(f.abs, name), isDir); p != nil && !p.negate {
		w.exclude = cmp.Or(w.exclude, p.text)
	}
}

// child returns the folder, or link to a possible folder, behind an entry; ok
// is false for anything else and for what is not searched.
func (f *folder) child(e fs.DirEntry) (child folder, ok bool) {
	link := e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 // junctions are irregular
	mayBeFolder := e.IsDir() || link
	never := e.Name() == ".git" || e.Name() == "node_modules"
	if !mayBeFolder || never || f.skips(e.Name(), e.IsDir()) {
		return folder{}, false
	}
	child = *f
	child.level++
	child.real = filepath.Join(f.real, e.Name())
	child.abs, child.dir = child.real, child.real // shared by all three if equal
	if f.abs != f.real {
		child.abs = filepath.Join(f.abs, e.Name())
	}
	if f.dir != f.real {
		child.dir = filepath.Join(f.dir, e.Name())
	}
	return child, true
}

func (f *folder) skips(name string, isDir bool) bool {
	return f.ignores.ignored(filepath.Join(f.real, name), isDir) || f.excludes.ignored(filepath.Join(f.abs, name), isDir)
}
