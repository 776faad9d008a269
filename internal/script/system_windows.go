package script

import (
	"io/fs"
	"os"
)

// Windows has no sandbox, and so no work folder: nothing is locked or owned.
func tryLock(*os.File) bool  { return false }
func owned(fs.FileInfo) bool { return false }

// userHome is in the environment here.
func userHome() string { return "" }
