package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// A run has a work folder, with the temporary folder of the scripts and files hidden from
// them.
const (
	workPrefix = "skills-run-" // starts the names of work folders
	tempName   = "tmp"         // the temporary folder in it
	probeName  = "probe"       // the folder for the test of sandboxes in it
)

// TempFolder is a temporary folder of this process. A locked file in it shows that the
// process is alive.
type TempFolder struct {
	Dir  string
	lock *os.File
}

// NewTempFolder creates a folder in a parent, with a name that starts with prefix. If
// another process removes it as a stale one before it is locked, the next is created.
func NewTempFolder(parent, prefix string) (*TempFolder, error) {
	for attempt := 1; ; attempt++ {
		dir, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, "lock")
		lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
		if err == nil {
			err = files.Lock(lock)
			if !errors.Is(err, files.ErrLocked) { // without locks in the file system, nobody removes it
				_, err = os.Lstat(path)
			}
			if err == nil {
				return &TempFolder{Dir: dir, lock: lock}, nil
			}
			lock.Close()
		}
		removeAll(dir)
		if attempt == 100 {
			return nil, err
		}
	}
}

// Remove removes the folder.
func (t *TempFolder) Remove() {
	t.lock.Close()
	removeAll(t.Dir)
}

// RemoveStale removes the folders of killed processes, whose lock is free, in a parent. An
// empty folder without a lock file may be about to get one. Others belong to the user.
func RemoveStale(parent, prefix string) {
	found, _ := filepath.Glob(filepath.Join(parent, prefix+"[0-9]*"))
	for _, dir := range found {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !owned(info) {
			continue
		} else if file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0); err == nil {
			if files.Lock(file) == nil {
				removeAll(dir)
			}
			file.Close()
		} else if time.Since(info.ModTime()) > time.Hour {
			os.Remove(dir)
		}
	}
}

// workFolders finds the place for the work folder of a runner.
type workFolders struct{ *Runner }

// parents returns the possible parents of a work folder, best first.
func (w workFolders) parents() []string {
	configured, _ := sandbox.Lookup(w.Env, "TMPDIR")
	parents := []string{configured, os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"}
	for _, home := range homesOf(w.Env) {
		parents = append(parents, filepath.Join(home, ".cache"))
	}
	return slices.DeleteFunc(parents, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// create creates the work folder where scripts cannot write.
func (w workFolders) create() (*TempFolder, error) {
	var problems []string
	for _, parent := range w.parents() {
		folder, err := w.createIn(parent)
		if err == nil {
			return folder, nil
		}
		problems = append(problems, err.Error())
	}
	return nil, fmt.Errorf("creating the temporary folder: %s", strings.Join(problems, "; "))
}

func (w workFolders) createIn(parent string) (*TempFolder, error) {
	parent, err := filepath.EvalSymlinks(parent)
	if err != nil {
		return nil, err
	}
	if w.active.scriptsWrite(parent) {
		return nil, fmt.Errorf("%s is writable for scripts", parent)
	}
	folder, err := NewTempFolder(parent, workPrefix)
	if err != nil {
		return nil, err
	}
	err = os.Mkdir(filepath.Join(folder.Dir, tempName), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder.Dir, sandbox.MarkerName), []byte("not for scripts\n"), 0o600)
	}
	if err != nil {
		folder.Remove()
		return nil, err
	}
	return folder, nil
}

// removeAll removes a folder, even if a script removed its permissions.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() { // not a link
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}
