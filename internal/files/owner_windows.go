package files

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the owner and the rights of its folder.
func keepOwner(*os.File, fs.FileInfo) {}
