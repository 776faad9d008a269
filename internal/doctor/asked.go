package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/script"
)

// answer is what came of asking a program for its version.
type answer struct {
	version string // "" for none
	why     string // why it was not asked, "" where it was or is never asked
}

// version asks a program once, if it is one of the machine: one that lies in a
// folder of the search path, and neither in a skill nor below the working
// folder, whatever links lead there. A shebang line may name any file, and the
// search path may lead into a project: those are a stranger's, and never run.
func (d *Doctor) version(ctx context.Context, path string) answer {
	if known, asked := d.versions[path]; asked {
		return known
	}
	a := answer{why: d.strange(path)}
	if a.why == "" {
		a.version, _ = d.asker().Version(ctx, path) // "" with every error
	}
	if d.versions == nil {
		d.versions = map[string]answer{}
	}
	d.versions[path] = a
	return a
}

// strange says why a program must not be run, "" where it may.
func (d *Doctor) strange(path string) string {
	if !slices.Contains(d.Runner.Folders(), filepath.Dir(path)) {
		return "it is not on PATH, so it is not asked"
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "it cannot be opened"
	}
	for _, p := range []string{path, real} {
		if why := d.belongs(filepath.Dir(p)); why != "" {
			return why
		}
	}
	return ""
}

// belongs says whose a folder is, "" for the machine's.
func (d *Doctor) belongs(dir string) string {
	work, _ := os.Stat(d.Runner.Dir)
	for {
		if info, err := os.Stat(dir); err == nil && work != nil && os.SameFile(info, work) {
			return "it lies below the working folder, so it is not run"
		}
		for _, name := range []string{"SKILL.md", "skill.md"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return "it lies in a skill, so it is not run"
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// asker is what programs are asked with: a program that is a script itself
// finds its own interpreter in the machine's folders alone.
func (d *Doctor) asker() *script.Runner {
	folders := slices.DeleteFunc(d.Runner.Folders(), func(dir string) bool {
		real, err := filepath.EvalSymlinks(dir)
		return err != nil || d.belongs(dir) != "" || d.belongs(real) != ""
	})
	search := "PATH=" + strings.Join(folders, string(os.PathListSeparator))
	return &script.Runner{Dir: d.Runner.Dir, Env: append(slices.Clone(d.Runner.Env), search), Sandbox: script.SandboxOff}
}
