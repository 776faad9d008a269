package loader

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// timestampGranularity is the coarsest step in which file systems record times: a
// second change within it may leave the time as it is.
const timestampGranularity = 2 * time.Second

// fileStamp identifies a version of a file or folder by its size and modification time.
type fileStamp struct {
	path     string
	size     int64
	modified int64 // nanoseconds since 1970
	found    bool
	recent   bool // changed so recently that another change might not show
}

func stampOf(path string) fileStamp { return stampFrom(path, nil) }

// stampFrom is stampOf with the file's state, if it is known.
func stampFrom(path string, info fs.FileInfo) fileStamp {
	if info == nil {
		now, err := os.Stat(path)
		if err != nil {
			return fileStamp{path: path}
		}
		info = now
	}
	modified := info.ModTime()
	return fileStamp{path: path, size: info.Size(), modified: modified.UnixNano(), found: true, recent: time.Since(modified) < timestampGranularity}
}

// same reports whether two stamps are of the same version.
func (s fileStamp) same(other fileStamp) bool {
	return s.size == other.size && s.modified == other.modified && s.found == other.found
}

// changed reports whether one of the files and folders has, or may have, changed. If none
// has, the stamps are updated.
func changed(ctx context.Context, stamps []fileStamp) (bool, error) {
	now := make([]fileStamp, len(stamps))
	changed, err := Any(ctx, len(stamps), func(i int) bool {
		now[i] = stampOf(stamps[i].path)
		return stamps[i].recent || !stamps[i].same(now[i])
	})
	if !changed && err == nil {
		copy(stamps, now)
	}
	return changed, err
}
