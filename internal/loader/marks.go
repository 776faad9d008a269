package loader

import (
	"context"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// settled is how long after its last change a file's time tells a further change:
// file systems count in ticks of up to two seconds.
const settled = 2 * time.Second

// mark is what a file or folder looked like.
type mark struct {
	size     int64
	modified time.Time
	found    bool
	recent   bool // changed so recently that another change might not show
	later    bool // not looked at yet: it existed at the first search
}

func markOf(path string) mark {
	info, err := os.Stat(path)
	if err != nil {
		return mark{}
	}
	return mark{size: info.Size(), modified: info.ModTime(), found: true, recent: time.Since(info.ModTime()) < settled}
}

// same reports whether nothing but time has passed between two marks. since is a
// time before the first search.
func (m mark) same(other mark, since time.Time) bool {
	if m.later {
		return other.found && other.modified.Before(since)
	}
	return m.size == other.size && m.modified.Equal(other.modified) && m.found == other.found
}

// marks are the files and folders that a search depends on.
type marks struct {
	mu    sync.Mutex
	at    map[string]mark
	since time.Time // before the first search; zero until there is one
	first bool      // whether this is the first search
}

// begin starts a search. The first one does not look at what it reads anyway: a run
// of one turn never asks whether that has changed.
func (m *marks) begin() {
	if m.first = m.since.IsZero(); m.first {
		m.since = time.Now().Add(-settled)
	}
	m.at = map[string]mark{}
}

// addRead is add for what the search is about to read.
func (m *marks) addRead(path string) mark {
	if !m.first {
		return m.add(path)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[path] = mark{later: true}
	return mark{later: true}
}

// add looks at a path, once for each search, and returns what it looked like.
func (m *marks) add(path string) mark {
	m.mu.Lock()
	seen, known := m.at[path]
	m.mu.Unlock()
	if known {
		return seen
	}
	seen = markOf(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[path] = seen
	return seen
}

// changed reports whether one of them is, or may be, another than it was.
func (m *marks) changed(ctx context.Context) (bool, error) {
	paths := slices.Collect(maps.Keys(m.at))
	seen := make(map[string]mark, len(paths))
	changed, err := Any(ctx, len(paths), func(i int) bool {
		before := m.at[paths[i]]
		now := markOf(paths[i])
		if before.recent || !before.same(now, m.since) {
			return true
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		seen[paths[i]] = now
		return false
	})
	if !changed && err == nil {
		m.at = seen
	}
	return changed, err
}
