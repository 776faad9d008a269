package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MaxRead is the most bytes that one call of ReadFile, or of a file resource's
// Read, returns.
const MaxRead = 8 << 20

// ReadFile reads up to limit bytes of a file of a skill from offset on, and
// returns them with the file's whole size in bytes. name is a listed name,
// resource or script; limit 0 and below stands for MaxRead. At and behind the
// end there is no data and no error.
//
// The folder is opened anew and contains the opening: a file that was swapped
// for a link out of the folder since it was listed is refused.
func ReadFile(ctx context.Context, dir, name string, offset, limit int64) (data []byte, size int64, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	if offset < 0 {
		return nil, 0, fmt.Errorf("reading %s: offset %d is before the start", name, offset)
	}
	if limit <= 0 || limit > MaxRead {
		limit = MaxRead
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, 0, fmt.Errorf("reading %s: it is not in the skill's folder", name)
	}
	plain := beneath{dir: dir}
	defer plain.close()
	var f opened
	f, size, ok := plain.open(filepath.ToSlash(name))
	if !ok {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, 0, fmt.Errorf("reading %s: %w", name, err)
		}
		defer root.Close()
		file, info, err := openRegular(root, name)
		if err != nil {
			return nil, 0, fmt.Errorf("reading %s: %w", name, reason(err))
		}
		f, size = file, info.Size()
	}
	defer f.Close()
	if offset >= size {
		return nil, size, nil
	}
	data = make([]byte, min(limit, size-offset))
	n, err := f.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, size, fmt.Errorf("reading %s: %w", name, reason(err))
	}
	return data[:n], size, nil
}

// fileResource is the resource behind a listed name.
func fileResource(dir, name string) Resource {
	return Resource{
		Name: name,
		Read: func(ctx context.Context, offset, limit int64) ([]byte, int64, error) {
			return ReadFile(ctx, dir, name, offset, limit)
		},
	}
}
