package safefile

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes data to the file called name below root in one step: readers
// see the old content or the new one, never a part. A link at name is replaced,
// not followed. An existing file keeps its place only if ready, called once the
// new content is on the disk, returns nil; a nil ready always agrees. The mode
// is exact if exact is set, else the process's umask applies. It returns what
// describes the new file.
func Replace(root *os.Root, name string, data []byte, mode fs.FileMode, exact bool, ready func() error) (info fs.FileInfo, err error) {
	// A name that nobody can have taken.
	temporary := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text()[:10]+".tmp")
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			root.Remove(temporary)
		}
	}()
	_, err = file.Write(data)
	if err == nil && exact && runtime.GOOS != "windows" { // where a mode is no more than read-only
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		info, err = file.Stat()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if ready != nil {
		if err = ready(); err != nil {
			return nil, err
		}
	}
	return info, root.Rename(temporary, name)
}

// Write replaces the file at path in one step. A link is followed, and an old
// file's mode kept. A pipe or a device is written to as it is. An error is the
// file system's, without the path.
func Write(ctx context.Context, path string, data []byte) error {
	t, err := OpenTarget(path, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(t.Write(ctx, "", data), t.Close())
}
