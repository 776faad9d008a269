package lsp

import (
	"context"
	"hash/maphash"
	"time"

	"skills/internal/lint"
)

// pollInterval is how often skills are looked at whose files the client does not watch.
const pollInterval = 2 * time.Second

// poll looks for changes of files, until the context ends: of all open skills if the client
// cannot watch files, else of those outside its workspace.
func (w worker) poll(ctx context.Context) {
	seed := maphash.MakeSeed()
	last := map[string]uint64{} // by folder
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.opts.tick:
		}
		digests := map[string]uint64{}
		var changed []string
		for _, dir := range w.unwatched() {
			digests[dir] = lint.Digest(seed, dir)
			if before, known := last[dir]; known && before != digests[dir] {
				changed = append(changed, dir)
			}
		}
		last = digests
		if len(changed) > 0 {
			w.changedOnDisk(changed)
		}
	}
}

// unwatched returns the folders of the open skills that the client does not watch.
func (w worker) unwatched() (dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	watches := w.client.Workspace.DidChangeWatchedFiles.DynamicRegistration
	for dir, k := range w.skills {
		if k.open && (!watches || w.workspaceOf(dir) == dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
