package script

import (
	"io/fs"
)

// Windows has no sandbox, and therefore no work folder.
func owned(fs.FileInfo) bool { return false }

// userHome is not needed, because the environment contains the folder.
func userHome() string { return "" }
