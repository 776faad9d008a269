//go:build !linux

package loader

import "io/fs"

// readDir lists a folder by name; entries read before an error are returned
// with it. It never waits, whatever dir has become.
func readDir(dir string) ([]fs.DirEntry, error) { return readAnyDir(dir) }
