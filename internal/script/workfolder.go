package script

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// workFolder makes the folder that holds the temporary folder of the scripts. It
// lies outside of what is writable and of what is secret: in the temporary folder
// of the system, or else wherever there is room.
func (r *Runner) workFolder(p policy, homes []string) (string, error) {
	parents := []string{os.TempDir()}
	if dir, ok := lookup(r.Env, "TMPDIR"); ok && filepath.IsAbs(dir) {
		parents[0] = dir
	}
	for _, home := range homes {
		parents = append(parents, filepath.Join(home, ".cache"))
	}
	if runtime.GOOS != "windows" {
		parents = append(parents, "/tmp", "/var/tmp", "/dev/shm")
	}
	var problems []string
	for _, parent := range parents {
		dir, err := filepath.EvalSymlinks(parent)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if p.writable(dir) {
			problems = append(problems, dir+" lies in a writable folder")
			continue
		}
		if slices.ContainsFunc(p.secrets, func(s string) bool { return within(dir, s) }) {
			problems = append(problems, dir+" is kept secret")
			continue
		}
		work, err := os.MkdirTemp(dir, "skills-run-")
		if err == nil {
			return work, nil
		}
		problems = append(problems, err.Error())
	}
	return "", fmt.Errorf("making the temporary folder: %s", strings.Join(problems, "; "))
}

// removeWork removes a folder, also where a script has taken the rights to parts
// of it away.
func removeWork(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() { // no link
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}
