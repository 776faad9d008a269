package cmd

import (
	"path/filepath"

	"skills/internal/report"
	"skills/internal/safefile"
)

// rooted returns how services are told of files: by the way from the root of
// the repository, wherever in it the check was started. The repository is that
// of this folder, else that of the first skill. Without one the root is the
// workspace of a GitHub job, else this folder. Files outside the root are named
// by their absolute path.
//
// A repository may be checked out below GitHub's workspace, which knows its
// files from the repository's root all the same, so that is asked first.
func (a *app) rooted(rep report.Report) func(path string) string {
	here := resolved(a.Dir)
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(here, path)
	}
	first := here
	if len(rep.Skills) > 0 {
		first = resolved(absolute(rep.Skills[0].Path))
	}
	root, ok := safefile.Repository(here)
	if _, in := below(root, first); !ok || !in {
		if own, found := safefile.Repository(first); found {
			root, ok = own, true
		}
	}
	if workspace := a.Getenv("GITHUB_WORKSPACE"); !ok && a.Getenv("GITHUB_ACTIONS") == "true" && filepath.IsAbs(workspace) {
		root = resolved(workspace)
		_, ok = below(root, first)
	}
	if !ok {
		root = here
	}
	named := map[string]string{}
	return func(path string) string {
		if path == stdinName {
			return path
		}
		name, known := named[path]
		if !known {
			name = absolute(path)
			// The file that a link leads to is the one that services know.
			if rel, in := below(root, resolved(name)); in {
				name = rel
			} else if rel, in := below(root, name); in {
				name = rel
			}
			named[path] = name
		}
		return name
	}
}

// resolved is a path with links resolved, the path itself where there is
// nothing.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// below returns the way from a folder to what lies in it; ok is false for what
// does not.
func below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
