package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"skills/internal/safefile"
)

// Find returns the path of the configuration for a folder: the nearest
// .skills.yaml from dir upwards to the root of the repository, the folder with a
// .git entry. It returns "" and a nil error if there is none.
//
// Outside a repository the search ends at the folder from if dir is inside it,
// and otherwise at dir: folders further up, such as /tmp, may belong to anybody.
// A link is followed inside the repository, or below the folder at which the
// search ends, and refused with an *Error where it leaves it. A folder that
// cannot be entered, or is a file, is skipped: nothing in it can be checked.
func Find(dir, from string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", dir, err)
	}
	top, ok := safefile.Repository(dir)
	if !ok {
		top = dir
		if rel, err := filepath.Rel(from, dir); err == nil && filepath.IsLocal(rel) {
			top = filepath.Clean(from)
		}
	}
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, FileName)
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			return path, contained(top, path)
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrPermission):
			return "", unreadable(path, err)
		case at == top:
			return "", nil
		}
	}
}

// contained refuses a link that leaves the folder top: messages quote the file,
// and a stranger's repository must not choose which file that is.
func contained(top, path string) error {
	root, err := safefile.OpenFolder(top)
	if err != nil {
		return unreadable(path, err)
	}
	defer root.Close()
	rel, err := filepath.Rel(top, path)
	if err == nil {
		_, err = root.Stat(rel)
	}
	if err != nil {
		return &Error{Path: path, Message: "is a broken link, or a link out of the repository",
			Help: "replace the link by the file, or name another with --config", Err: err}
	}
	return nil
}

func unreadable(path string, err error) error {
	return &Error{Path: path, Message: fmt.Sprintf("cannot be read: %v", safefile.Reason(err)), Help: "check the permissions, or use --no-config", Err: err}
}
