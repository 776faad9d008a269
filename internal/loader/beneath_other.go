//go:build !linux

package loader

import (
	"io/fs"
	"os"
)

// beneath is for systems whose descriptors are spoken to directly; elsewhere
// [os.Root] reads everything.
type beneath struct{ dir string }

// plainFile stands for a file that is never opened here.
type plainFile = *os.File

func (*beneath) close()                               {}
func (*beneath) folder(string) (int, bool)            { return 0, false }
func (*beneath) open(string) (plainFile, int64, bool) { return nil, 0, false }
func (*beneath) openListed(string) (plainFile, bool)  { return nil, false }

func (*beneath) list(string, []fs.DirEntry) ([]entry, bool) { return nil, false }
