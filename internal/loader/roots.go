package loader

import (
	"path/filepath"
	"slices"

	"skills/internal/safefile"
)

// DefaultRoots returns the places skills are looked for when none are named:
// ./skills, then .agents/skills and .claude/skills from dir up to the
// repository's root, then the same two under home, which may be "". Nearer
// places come first, and the first skill of a name wins. Whether they exist is
// not looked at.
func DefaultRoots(dir, home string) []string {
	roots := []string{filepath.Join(dir, "skills")}
	add := func(dir string) {
		roots = append(roots, filepath.Join(dir, ".agents", "skills"), filepath.Join(dir, ".claude", "skills"))
	}
	add(dir)
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	passed := []string{abs}
	if repo, ok := safefile.Repository(abs); ok {
		for abs != repo {
			dir, abs = above(dir), filepath.Dir(abs)
			passed = append(passed, abs)
			add(dir)
		}
	}
	if home != "" && !slices.Contains(passed, filepath.Clean(home)) {
		add(home)
	}
	return roots
}
