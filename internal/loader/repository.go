package loader

import (
	"os"
	"path/filepath"
)

// Repository returns the root of the repository that contains dir, an absolute
// path: the nearest ancestor with a .git entry. ok is false if there is none.
func Repository(dir string) (root string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
