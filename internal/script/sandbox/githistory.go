package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guardedNames are the parts of a Git directory from which Git takes settings, programs or
// other places.
func guardedNames() []string {
	return []string{
		"config", "config.worktree", "hooks", "info", "modules", "commondir", "gitdir", "branches", "remotes", "svn",
		"objects/info/alternates", "objects/info/http-alternates",
	}
}

// Guarded returns the parts of a Git directory that stay read-only when its history is
// written. They need not exist.
func Guarded(git string) (paths []string) {
	add := func(dir string) {
		for _, name := range guardedNames() {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	add(git)
	trees, _ := os.ReadDir(filepath.Join(git, "worktrees"))
	for _, tree := range trees {
		add(filepath.Join(git, "worktrees", tree.Name()))
	}
	return paths
}

// history replaces the Git directories in a list of protected paths by their guarded parts.
func (p Policy) history(keep []string) (rest, repositories []string) {
	for _, path := range keep {
		info := resolveParent(&path)
		isFolder := info != nil && info.IsDir()
		if !isFolder || !IsGitDir(path) || !p.writable(path) {
			rest = append(rest, path)
			continue
		}
		repositories = append(repositories, path)
		rest = append(rest, Guarded(path)...)
	}
	return rest, repositories
}

// checked reports whether the caller removes what a program creates at a path.
func (p Policy) checked(path string) bool { return anyHolds(p.Repositories, path) }

// GitIdentity returns settings of Git with the name and the address of the user, as they are
// in the user's own settings; "" for none.
func GitIdentity(homes []string) string {
	values := map[string]string{}
	for _, home := range homes {
		for _, name := range []string{".config/git/config", ".gitconfig"} {
			identity(head(filepath.Join(home, filepath.FromSlash(name))), values)
		}
		if len(values) > 0 {
			break
		}
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(values)) {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(values[name])
		text += "\t" + name + " = \"" + quoted + "\"\n"
	}
	if text == "" {
		return ""
	}
	return "[user]\n" + text
}

// identity reads user.name and user.email from settings.
func identity(text string, values map[string]string) {
	eachSetting(text, func(section, name, value string) {
		isIdentity := name == "name" || name == "email"
		if section == "user" && isIdentity {
			values[name] = value
		}
	})
}
