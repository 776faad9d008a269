package script

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"skills/internal/files"
)

// Limits of what is kept of a repository to be restored: the size of a file, and all.
const (
	maxKeptFile = 1 << 20
	maxKeptAll  = 16 << 20
)

// keptFile is a file of settings or a program of Git as it was before.
type keptFile struct {
	data []byte
	mode fs.FileMode
}

// note remembers a guarded name, and the content of a small file: a sandbox that cannot keep
// it read-only may let it be changed.
func (r *repository) note(root *os.Root, name string) {
	r.before[name] = true
	info, err := root.Lstat(name)
	if err != nil {
		return
	}
	r.kinds[name] = info.Mode().Type()
	if !info.Mode().IsRegular() || info.Size() > maxKeptFile || r.size+info.Size() > maxKeptAll {
		return
	}
	data, err := root.ReadFile(name)
	if err == nil {
		r.size += int64(len(data))
		r.kept[name] = keptFile{data, info.Mode().Perm()}
	}
}

// isBefore reports whether a name is of the same kind as before.
func (r *repository) isBefore(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return r.before[name] && err == nil && info.Mode().Type() == r.kinds[name]
}

// restore writes back what was changed or removed, and reports it.
func (r *repository) restore(root *os.Root, report func(name, state string)) {
	for _, name := range slices.Sorted(maps.Keys(r.kept)) {
		kept, state := r.kept[name], "changed"
		info, err := root.Lstat(name)
		switch {
		case err != nil:
			state = "removed"
		case info.Mode().IsRegular() && info.Size() == int64(len(kept.data)) && info.Mode().Perm() == kept.mode:
			now, err := root.ReadFile(name)
			if err == nil && bytes.Equal(now, kept.data) {
				continue
			}
		}
		err = putBack(root, name, kept)
		if err != nil {
			state += "; it could not be restored"
		} else {
			state += "; it was restored"
		}
		report(name, state)
	}
}

// putBack writes a file. Whatever is in the place of its folders makes way.
func putBack(root *os.Root, name string, kept keptFile) error {
	dirs := parents(name)
	slices.Reverse(dirs)
	for _, dir := range dirs {
		info, err := root.Lstat(dir)
		if err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			err = root.Remove(dir)
			if err != nil {
				return err
			}
		}
		err = root.Mkdir(dir, 0o755)
		if err != nil {
			return err
		}
	}
	info, err := root.Lstat(name)
	if err == nil && info.IsDir() {
		err = root.RemoveAll(name)
		if err != nil {
			return err
		}
	}
	folder, err := root.OpenRoot(path.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	_, err = files.Replace(folder, path.Base(name), kept.data, kept.mode, true, nil)
	return err
}
