package loader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"skills/internal/safefile"
)

// MaxRead is the most bytes that one call of ReadFile, or of a file resource's
// Read, returns.
const MaxRead = 8 << 20

// maxDigested is how many bytes of a skill's scripts are read for their digests,
// all together. Scripts are small; what goes beyond has none.
const maxDigested = 64 << 20

// ReadFile reads up to limit bytes of a file of a skill from offset on, and
// returns them with the file's whole size in bytes. name is a listed name,
// resource or script; limit 0 and below means MaxRead. At and behind the
// end there is no data and no error.
//
// The folder is opened again and confines the opening: a file that was replaced
// by a link out of the folder since it was listed is an error.
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
	root, err := safefile.OpenFolder(dir)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", name, safefile.Reason(err))
	}
	defer root.Close()
	f, info, err := openRegular(root, name)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", name, safefile.Reason(err))
	}
	defer f.Close()
	size = info.Size()
	if offset >= size {
		return nil, size, nil
	}
	data = make([]byte, min(limit, size-offset))
	n, err := f.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, size, fmt.Errorf("reading %s: %w", name, safefile.Reason(err))
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

// fileScripts are the scripts behind listed names. A file takes a list of
// strings, as the framework has it.
func fileScripts(ctx context.Context, dir string, names []string) []Script {
	var out []Script
	root, err := safefile.OpenFolder(dir)
	if err == nil {
		defer root.Close()
	}
	left := int64(maxDigested)
	for _, name := range names {
		s := Script{Name: name, Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}
		if err == nil && ctx.Err() == nil {
			s.Folder, _ = root.Stat(".")
			s.Digest = digest(root, name, &left)
		}
		out = append(out, s)
	}
	return out
}

// digest is the SHA-256 of a file, or "" for one that cannot be read or is larger
// than what is left.
func digest(root *os.Root, name string, left *int64) string {
	f, info, err := openRegular(root, name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info.Size() > *left {
		return ""
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, *left+1))
	if *left -= n; err != nil || *left < 0 {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
