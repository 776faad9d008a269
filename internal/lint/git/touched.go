package git

import (
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Touched returns those of the folders that one of the files lies in, in the
// order given. Paths are absolute with links resolved. A folder that a changed
// submodule holds is touched with it. Where disks do not tell cases and
// compositions of letters apart, paths are compared without them.
func Touched(files, dirs []string) []string {
	return touched(files, dirs, runtime.GOOS == "windows" || runtime.GOOS == "darwin")
}

func touched(files, dirs []string, fold bool) []string {
	key := filepath.Clean
	if fold {
		key = func(path string) string { return strings.ToLower(norm.NFC.String(filepath.Clean(path))) }
	}
	changed := make(map[string]bool, len(files)) // the files themselves
	above := make(map[string]bool, len(files))   // and the folders they lie in
	for _, f := range files {
		f = key(f)
		changed[f] = true
		for dir := filepath.Dir(f); !above[dir]; dir = filepath.Dir(dir) {
			above[dir] = true
		}
	}
	var out []string
	for _, dir := range dirs {
		if inside(key(dir), changed, above) {
			out = append(out, dir)
		}
	}
	return out
}

func inside(dir string, changed, above map[string]bool) bool {
	if above[dir] {
		return true
	}
	for !changed[dir] {
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return true
}
