package script

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/safefile"
	"skills/internal/script/sandbox"
)

// workPrefix starts the names of work folders.
const workPrefix = "skills-run-"

// workFolder is the folder of one run. It contains the temporary folder of the
// scripts, and files hidden from them. A locked file in it shows that the run
// is alive.
type workFolder struct {
	dir  string
	lock *os.File
}

func (w *workFolder) temp() string   { return filepath.Join(w.dir, "tmp") }
func (w *workFolder) marker() string { return filepath.Join(w.dir, sandbox.MarkerName) }

func (w *workFolder) remove() {
	w.lock.Close()
	removeAll(w.dir)
}

// tempParents returns the possible parents of a work folder, best first.
func (r *Runner) tempParents() []string {
	configured, _ := sandbox.Lookup(r.Env, "TMPDIR")
	parents := []string{configured, os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"}
	for _, home := range r.homes() {
		parents = append(parents, filepath.Join(home, ".cache"))
	}
	return slices.DeleteFunc(parents, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// newWorkFolder creates the work folder where scripts cannot write.
func (r *Runner) newWorkFolder() (*workFolder, error) {
	var problems []string
	for _, parent := range r.tempParents() {
		w, err := r.workFolderIn(parent)
		if err == nil {
			return w, nil
		}
		problems = append(problems, err.Error())
	}
	return nil, fmt.Errorf("creating the temporary folder: %s", strings.Join(problems, "; "))
}

func (r *Runner) workFolderIn(parent string) (*workFolder, error) {
	parent, err := filepath.EvalSymlinks(parent)
	if err != nil {
		return nil, err
	}
	if r.scriptsWrite(parent) {
		return nil, fmt.Errorf("%s is writable for scripts", parent)
	}
	dir, err := os.MkdirTemp(parent, workPrefix)
	if err != nil {
		return nil, err
	}
	w := &workFolder{dir: dir}
	if w.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600); err == nil {
		safefile.Lock(w.lock)
		err = cmp.Or(os.Mkdir(w.temp(), 0o700), os.WriteFile(w.marker(), []byte("not for scripts\n"), 0o600))
	}
	if err != nil {
		removeAll(dir)
		return nil, err
	}
	return w, nil
}

// removeStale removes the work folders of killed runs, whose lock is free. A
// folder without a lock file may be about to get one.
func removeStale(parents []string) {
	for _, parent := range parents {
		found, _ := filepath.Glob(filepath.Join(parent, workPrefix+"*"))
		for _, dir := range found {
			if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !owned(info) {
				continue
			} else if file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0); err == nil {
				if safefile.Lock(file) == nil {
					removeAll(dir)
				}
				file.Close()
			} else if time.Since(info.ModTime()) > time.Hour {
				removeAll(dir)
			}
		}
	}
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
