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
}

func markOf(path string) mark {
	info, err := os.Stat(path)
	if err != nil {
		return mark{}
	}
	return mark{info.Size(), info.ModTime(), true, time.Since(info.ModTime()) < settled}
}

// same reports whether nothing but time has passed between two marks.
func (m mark) same(other mark) bool {
	return m.size == other.size && m.modified.Equal(other.modified) && m.found == other.found
}

// marks are the files and folders that a search depends on.
type marks struct {
	mu sync.Mutex
	at map[string]mark
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
	return Any(ctx, len(paths), func(i int) bool {
		before := m.at[paths[i]]
		return before.recent || !before.same(markOf(paths[i]))
	})
}
