package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ErrTooWide says that a folder cannot be made writable for scripts because
// everything worth protecting is below it.
var ErrTooWide = errors.New("too wide to be writable for scripts")

// tooWide is an [ErrTooWide] about a folder.
type tooWide struct{ format, dir string }

func (e tooWide) Error() string        { return fmt.Sprintf(e.format, e.dir) }
func (e tooWide) Is(target error) bool { return target == ErrTooWide }

// CheckRead resolves a path that the user wants scripts to read. The error says
// why it cannot be: it is missing, or it is the root of the file system.
func CheckRead(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && filepath.Dir(real) == real {
		err = tooWide{"%s is the root of the file system", path}
	}
	return real, err
}

// CheckWrite resolves a folder that scripts are to write to; what names it in the
// error, which says why it cannot be: it is missing, or it is or holds a home
// folder, a folder of the system or the root of the file system ([ErrTooWide]).
func CheckWrite(what, dir string, homes []string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", what, err)
	}
	if err := checkWritable(real, homes); err != nil {
		return "", fmt.Errorf("%s %w", what, err)
	}
	return real, nil
}

// checkWritable says why a resolved folder is too wide to be writable.
func checkWritable(dir string, homes []string) error {
	if dir == filepath.VolumeName(dir)+string(filepath.Separator) {
		return tooWide{"%s is the root of the file system", dir}
	}
	for _, home := range homes {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		if dir == home {
			return tooWide{"%s is a home folder", dir}
		}
		if Within(home, dir) {
			return tooWide{"%s contains a home folder", dir}
		}
	}
	for _, system := range existing(append(systemPaths(false), "/var", "/run", "/tmp", "/home", "/root", "/Users")) {
		if Within(system, dir) {
			return tooWide{"%s is a folder of the system", dir}
		}
	}
	if anyHolds(existing([]string{"/bin", "/sbin", "/lib", "/lib64", "/etc", "/usr/share", "/dev", "/proc", "/sys", "/boot"}), dir) {
		return tooWide{"%s belongs to the system", dir}
	}
	return nil
}

func anyHolds(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return Within(path, dir) })
}

// Within reports whether path is dir or below it. Both are clean and absolute.
func Within(path, dir string) bool {
	const separator = string(filepath.Separator)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}

// existing resolves the paths that exist, and leaves out the rest.
func existing(paths []string) (found []string) {
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(real) {
			found = append(found, real)
		}
	}
	return found
}
