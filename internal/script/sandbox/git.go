package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// gitFolders returns the paths through which git would find a repository in a
// working folder and in the folders directly in it: each git directory as a
// whole, because a file in any place of it can name another configuration, the
// .git files and links that lead to one, and the files that a configuration
// includes. Paths that do not exist may be among them.
func gitFolders(dir string, homes []string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for repositories: %w", err)
	}
	folders := []string{dir}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() { // also by a link
			folders = append(folders, Real(path))
		}
	}
	var found []string
	repositories := 0
	for _, folder := range folders {
		git := filepath.Join(folder, ".git")
		var more []string
		switch {
		case exists(git):
			more = append([]string{git}, repository(git, homes)...)
			more = append(more, submodules(folder, git, homes)...)
			if len(more) > 2*most {
				return nil, fmt.Errorf("%s has more than %d submodules, too many to protect", folder, most)
			}
		case folder != dir && IsGitDir(folder):
			more = repository(folder, homes)
		default:
			continue
		}
		repositories++
		if repositories > most {
			return nil, fmt.Errorf("%s has more than %d repositories, too many to protect", dir, most)
		}
		found = append(found, more...)
	}
	return found, nil
}

// repository returns the parts of the repository at a path, which is that of its
// git directory, of a file that names it, or of a link.
func repository(path string, homes []string) []string {
	git := Real(path)
	if info, err := os.Stat(git); err == nil && info.Mode().IsRegular() {
		target, ok := strings.CutPrefix(head(git), "gitdir:")
		if !ok {
			return nil
		}
		git = Real(relativeTo(filepath.Dir(git), target))
	}
	found := []string{git}
	if common := head(filepath.Join(git, "commondir")); common != "" {
		found = append(found, Real(relativeTo(git, common)))
	}
	for _, folder := range slices.Clone(found) {
		found = append(found, included(filepath.Join(folder, "config"), homes)...)
	}
	return append(found, included(filepath.Join(git, "config.worktree"), homes)...)
}

// IsGitDir reports whether git takes a folder for a git directory, such as a bare
// repository or that of a linked working tree.
func IsGitDir(dir string) bool {
	if !exists(filepath.Join(dir, "HEAD")) {
		return false
	}
	return exists(filepath.Join(dir, "commondir")) || exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
}

// inGitDir reports whether a folder is a git directory or in one.
func inGitDir(dir string) bool {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if IsGitDir(dir) {
			return true
		}
	}
	return false
}

// head returns the text of a small regular file without blanks around it, "" if
// it cannot be read.
func head(path string) string {
	const largest = 1 << 20
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, largest))
	return strings.TrimSpace(string(text))
}

func relativeTo(dir, path string) string {
	path = strings.TrimSpace(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
