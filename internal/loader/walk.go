package loader

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
)

// walk is one search under way. Folders are read level by level, those of a
// level side by side, and what they hold is put together in their order: the
// result does not depend on who was faster.
type walk struct {
	search  Search
	depth   int
	readDir func(string) ([]fs.DirEntry, error)

	queue   []folder       // to be read next
	links   []folder       // links to folders, followed when the queue is empty
	visited map[string]int // resolved path to the level it was read at
	read    int            // folders read
	cut     bool           // folders below the last level were left out

	found   []Found
	notices []Notice
}

// folder is a folder on the way, with what is ignored there.
type folder struct {
	dir, abs, real string // as a user would write it, made absolute, resolved
	level          int
	ignores        *ignores // of git, nil outside a repository
	excludes       *ignores // of the configuration
}

// contents is what reading one folder brought.
type contents struct {
	skill   *Found
	below   []folder
	links   []folder
	notices []Notice
	err     error
}

func (s Search) start(root string) (*walk, error) {
	w := &walk{search: s, depth: max(cmp.Or(s.Depth, defaultDepth), 0), readDir: s.readDir, visited: map[string]int{}}
	if w.readDir == nil {
		w.readDir = readDir
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, statError(root, err)
	}
	if !info.IsDir() {
		return nil, &TargetError{Path: root, Problem: TargetUnreadable, Err: errNotFolder}
	}
	f := folder{dir: filepath.Clean(root)}
	if f.real, err = resolve(root); err != nil {
		return nil, err
	}
	if f.abs, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("resolving %s: %w", root, err)
	}
	f.ignores = s.ignoresAt(f.real)
	if f.excludes, err = excludesAt(s.Exclude, cmp.Or(s.ExcludeFrom, f.abs), f.abs); err != nil {
		return nil, err
	}
	w.queue = []folder{f}
	return w, nil
}

func (w *walk) run(ctx context.Context) error {
	limit := w.search.MaxFolders
	if limit <= 0 {
		limit = defaultMaxFolders
	}
	for len(w.queue) > 0 || len(w.links) > 0 {
		if len(w.queue) == 0 {
			w.follow()
			continue
		}
		batch := w.admit(limit)
		results := make([]contents, len(batch))
		err := Parallel(ctx, len(batch), func(i int) { results[i] = w.scan(ctx, batch[i]) })
		if err != nil {
			return err
		}
		for i, c := range results {
			if c.err != nil && w.read == 1 && !errors.Is(c.err, errEntries) {
				return &TargetError{Path: batch[i].dir, Problem: TargetUnreadable, Err: c.err}
			}
			w.notices = append(w.notices, c.notices...)
			if c.skill != nil {
				w.found = append(w.found, *c.skill)
			}
			if batch[i].level == w.depth {
				w.cut = w.cut || len(c.below)+len(c.links) > 0
				continue
			}
			w.queue = append(w.queue, c.below...)
			w.links = append(w.links, c.links...)
		}
	}
	return nil
}

// admit empties the queue and returns what of it is to be read: no folder
// twice, unless its first visit was so deep that something was left out.
func (w *walk) admit(limit int) []folder {
	batch := w.queue[:0:0]
	for _, f := range w.queue {
		level, seen := w.visited[f.real]
		if seen && (!w.cut || f.level >= level) {
			continue
		}
		if w.read == limit {
			w.notices = append(w.notices, Notice{
				Path:    f.dir,
				Message: fmt.Sprintf("search stopped after %d folders: neither this one nor those after it were searched", limit),
				Hint:    "name the folders that hold the skills, or exclude large ones",
				Unseen:  true,
			})
			w.read = math.MaxInt
		}
		if w.read > limit {
			break
		}
		w.visited[f.real] = f.level
		w.read++
		batch = append(batch, f)
	}
	w.queue = nil
	if w.read > limit {
		w.links = nil
	}
	return batch
}

// follow queues what the links met so far lead to. Links that lead nowhere,
// or to a file, are not a folder's business.
func (w *walk) follow() {
	slices.SortStableFunc(w.links, func(a, b folder) int {
		return cmp.Or(cmp.Compare(a.level, b.level), strings.Compare(filepath.ToSlash(a.dir), filepath.ToSlash(b.dir)))
	})
	for _, f := range w.links {
		info, err := os.Stat(f.abs)
		if err != nil || !info.IsDir() {
			continue
		}
		if f.real, err = resolve(f.abs); err != nil {
			continue
		}
		f.ignores = w.search.ignoresAt(f.real)
		w.queue = append(w.queue, f)
	}
	w.links = nil
}
