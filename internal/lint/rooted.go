package lint

import (
	"path/filepath"

	"skills/internal/files"
	"skills/internal/loader"
)

// Rooted returns a function that makes paths relative for CI services: to the
// root of the repository of dir, else to that of the first skill, else to the
// workspace of a GitHub job, else to dir. Files outside the root keep their
// absolute path.
func (r *Run) Rooted(getenv func(string) string) func(path string) string {
	dir := r.options.Dir
	here := files.Resolved(dir)
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(here, path)
	}
	first := here
	if skills := r.selection.skills; len(skills) > 0 && skills[0].doc != nil {
		first = files.Resolved(absolute(skillPath(skills[0].doc)))
	} else if len(skills) > 0 {
		first = files.Resolved(absolute(skills[0].found.Dir))
	}
	root, ok := loader.Repository(here)
	if _, in := below(root, first); !ok || !in {
		if own, found := loader.Repository(first); found {
			root, ok = own, true
		}
	}
	if workspace := getenv("GITHUB_WORKSPACE"); !ok && getenv("GITHUB_ACTIONS") == "true" && filepath.IsAbs(workspace) {
		root = files.Resolved(workspace)
		_, ok = below(root, first)
	}
	if !ok {
		root = here
	}
	rooted := func(path string) string {
		if path == stdinName {
			return path
		}
		name := absolute(path)
		// Services know the target of a link.
		for _, path := range []string{files.Resolved(name), name} {
			if rel, in := below(root, path); in {
				return rel
			}
		}
		return name
	}
	last, result := "", ""
	return func(path string) string {
		if path != last { // findings are grouped by file
			last, result = path, rooted(path)
		}
		return result
	}
}

// below returns path relative to dir; ok is false if it is not below dir.
func below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
