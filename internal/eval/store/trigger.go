package store

import (
	"os"
	"path/filepath"
	"slices"
)

// LatestTrigger returns the last of the folders of eval trigger, in their order, that is
// complete, or "".
func LatestTrigger(dirs []string) string {
	for _, dir := range slices.Backward(dirs) {
		if _, err := os.Stat(filepath.Join(dir, TriggerFile)); err == nil {
			return dir
		}
	}
	return ""
}

// TriggerFolder returns the folder of eval trigger that a path names: the path itself, or
// the last complete one in a workspace without iterations; "" if it names none.
func TriggerFolder(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, TriggerFile)); err == nil {
		return dir
	}
	iterations, _, err := Iterations(dir)
	if err != nil || len(iterations) > 0 {
		return ""
	}
	dirs, _, _ := Folders(dir, TriggerPrefix) // it could be read before
	return LatestTrigger(dirs)
}
