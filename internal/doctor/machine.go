package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// Program compares the running program with the one that its name starts.
type Program struct {
	Path   string `json:"path"`
	OnPath string `json:"on_path"` // the first program of that name on PATH, or ""
	Hint   string `json:"hint"`    // what to do if that is another program, or ""
}

// FindProgram looks for a program on the search path of a runner; self is the file of the
// running one.
func FindProgram(programs *script.Runner, name, self string) Program {
	p := Program{Path: sandbox.Real(self)}
	p.OnPath, _ = programs.Find(name)
	found, ours := sandbox.Real(p.OnPath), filepath.Dir(p.Path)
	switch {
	case p.OnPath == "":
		p.Hint = "add " + ours + " to PATH"
	case found != p.Path && filepath.Join(filepath.Dir(found), "bin") != ours: // location in the npm package
		p.Hint = "put " + ours + " first on PATH, or rename the other program"
	}
	return p
}

// Sandbox describes the sandbox for scripts.
type Sandbox struct {
	Name string   `json:"name"` // or "none"
	Gaps []string `json:"gaps"` // what it does not enforce, or why there is none
	Hint string   `json:"hint"` // how to get a stronger one, or ""
}

// FindSandbox tries the sandbox in which a runner would run scripts.
func FindSandbox(ctx context.Context, scripts *script.Runner) Sandbox {
	c, err := scripts.TrySandbox(ctx)
	if err != nil {
		return Sandbox{Name: sandbox.None, Gaps: []string{err.Error()}}
	}
	s := Sandbox{Name: c.Name, Gaps: append([]string{}, c.NotEnforced...)}
	for _, why := range c.Tried {
		if c.Name != sandbox.None {
			s.Gaps = append(s.Gaps, "a stronger sandbox is not available: "+why)
		}
	}
	if slices.ContainsFunc(s.Gaps, func(gap string) bool { return strings.Contains(gap, "bwrap is not on PATH") }) {
		s.Hint = "install bubblewrap (your package manager), the strongest sandbox"
	}
	return s
}
