//go:build !windows

package fix

import (
	"io/fs"
	"os"
)

// chmod gives a new file its mode, whatever the process's mask says.
func chmod(f *os.File, mode fs.FileMode) error { return f.Chmod(mode) }
