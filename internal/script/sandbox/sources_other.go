//go:build !linux

package sandbox

import (
	"io/fs"
	"os"
)

// identify returns nothing: sources are compared on Linux only.
func identify(Policy) (map[string]ID, error) { return nil, nil }

// Identify describes what is at a resolved path.
func Identify(path string) (fs.FileInfo, error) { return os.Lstat(path) }

func (Policy) is(path string, want fs.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, want)
}

// Is reports whether an open source of the policy, a folder that it grants, is what is at
// its path.
func (p Policy) Is(path string, now fs.FileInfo) bool { return p.is(path, now) }
