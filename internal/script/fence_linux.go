package script

import (
	"path/filepath"
)

// fences are the fences of this system, the strongest first. They need a
// supervisor.
func (r *Runner) fences() []fence {
	if r.Self == "" {
		return nil
	}
	return []fence{bubblewrap{r.Self, r.findBubblewrap()}, landlock{r.Self, landlockABI()}}
}

// findBubblewrap finds the program on the search path, "" where there is none.
// Entries that are not absolute are left out.
func (r *Runner) findBubblewrap() string {
	path, _ := lookup(r.Env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := executable(filepath.Join(dir, "bwrap"))
		if err != nil {
			continue
		}
		if found, err = filepath.EvalSymlinks(found); err == nil {
			return found
		}
	}
	return ""
}

func (f unfenced) launch(command []string, p policy, env []string) (*launch, error) {
	if f.self == "" {
		return direct(command, p.dir, env), nil
	}
	return supervised(f.self, command, p.dir, env, order{})
}
