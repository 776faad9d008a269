package loader

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
)

// How far a skill is searched for skills inside it.
const (
	nestedDepth   = 8
	nestedFolders = 2_000
	nestedFiles   = 100
)

// nested returns the SKILL.md files below a skill's own, relative to it, with
// slashes, sorted. What the search skips is skipped here too, links are not
// followed, and unreadable folders are passed over: reading the skill names
// them.
func (w *walk) nested(ctx context.Context, skill folder, entries []fs.DirEntry) []string {
	type inner struct {
		folder
		name    string
		entries []fs.DirEntry
	}
	var out []string
	level := []inner{{folder: skill, entries: entries}}
search:
	for depth, read := 0, 0; depth <= nestedDepth && len(level) > 0; depth++ {
		var next []inner
		for _, in := range level {
			if depth > 0 {
				if read == nestedFolders || ctx.Err() != nil {
					break search
				}
				read++
				in.entries, _ = w.readDir(in.dir)
				in.enter(in.entries)
			}
			for _, e := range in.entries {
				name := filepath.ToSlash(filepath.Join(in.name, e.Name()))
				if e.Name() == skillFileName && !e.IsDir() && depth > 0 && !in.skips(e.Name(), false) {
					out = append(out, name)
				}
				if child, ok := in.child(e); ok && e.IsDir() {
					next = append(next, inner{folder: child, name: name})
				}
			}
		}
		level = next
	}
	slices.Sort(out)
	return out[:min(len(out), nestedFiles)]
}
