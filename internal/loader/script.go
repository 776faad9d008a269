package loader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// maxDigested is how many bytes of a skill's scripts are read for their digests,
// all together. Scripts are small; what goes beyond has none.
const maxDigested = 64 << 20

// fileScripts are the scripts behind listed names. A file takes a list of
// strings, as the framework has it.
func fileScripts(ctx context.Context, dir string, names []string) []Script {
	var out []Script
	root, err := os.OpenRoot(dir)
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
