package script

import (
	"io/fs"
)

// Windows has no sandbox, and so no work folder: nothing is owned.
func owned(fs.FileInfo) bool { return false }

// userHome is in the environment here.
func userHome() string { return "" }
