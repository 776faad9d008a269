package loader

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// settled is how long after its last change a file's time tells a further change:
// file systems count in ticks of up to two seconds.
const settled = 2 * time.Second

// mark is what a file or folder looked like.
type mark struct {
	path     string
	size     int64
	modified int64 // nanoseconds since 1970
	found    bool
	recent   bool // changed so recently that another change might not show
}

func markOf(path string) mark { return markFrom(path, nil) }

// markFrom is markOf with the file's state, if it is known.
func markFrom(path string, info fs.FileInfo) mark {
	if info == nil {
		var err error
		if info, err = os.Stat(path); err != nil {
			return mark{path: path}
		}
	}
	modified := info.ModTime()
	return mark{path: path, size: info.Size(), modified: modified.UnixNano(), found: true, recent: time.Since(modified) < settled}
}

// same reports whether nothing but time has passed between two marks.
func (m mark) same(other mark) bool {
	return m.size == other.size && m.modified == other.modified && m.found == other.found
}

// changed reports whether one of the files and folders is, or may be, another than it
// was. If none is, the marks are brought up to date.
func changed(ctx context.Context, marks []mark) (bool, error) {
	now := make([]mark, len(marks))
	changed, err := Any(ctx, len(marks), func(i int) bool {
		now[i] = markOf(marks[i].path)
		return marks[i].recent || !marks[i].same(now[i])
	})
	if !changed && err == nil {
		copy(marks, now)
	}
	return changed, err
}
