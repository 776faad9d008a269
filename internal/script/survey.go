package script

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The bounds of a survey.
const (
	surveyDepth   = 4     // folders below the one that is searched
	surveyEntries = 20000 // files and folders that are looked at
	surveyKept    = 64    // skills and repositories that are kept from being changed
)

// survey is what a folder holds that scripts are kept from.
type survey struct {
	env    []string // files with variables
	skills []string // folders with a SKILL.md, the searched one not among them
	git    []string // .git of repositories
	cut    bool     // not everything was looked at
}

// surveyOf looks through a folder. What lies in .git and in node_modules is not
// looked at.
func surveyOf(dir string) survey {
	var found survey
	left := surveyEntries
	var search func(dir string, depth int)
	search = func(dir string, depth int) {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if left--; left < 0 {
				found.cut = true
				return
			}
			name := entry.Name()
			path := filepath.Join(dir, name)
			switch {
			case name == ".git":
				found.git = append(found.git, path)
			case isEnvFile(name) && !entry.IsDir():
				found.env = append(found.env, path)
			case isSkillFile(name) && !entry.IsDir():
				if depth < surveyDepth {
					found.skills = append(found.skills, dir)
				}
			case !entry.IsDir() || name == "node_modules":
			case depth == 0:
				found.cut = true
			default:
				search(path, depth-1)
			}
		}
	}
	search(dir, surveyDepth)
	return found
}

// isSkillFile says whether a file makes its folder a skill.
func isSkillFile(name string) bool { return strings.EqualFold(name, "SKILL.md") }

// hasSkillFile says whether a folder is a skill.
func hasSkillFile(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isSkillFile(e.Name()) && !e.IsDir() })
}

// envAbove are the files with variables beside a folder: in the folders above it,
// up to the repository that it lies in.
func envAbove(dir string) []string {
	var found []string
	for at := dir; ; at = filepath.Dir(at) {
		entries, _ := os.ReadDir(at)
		top := false
		for _, entry := range entries {
			top = top || entry.Name() == ".git"
			if at != dir && isEnvFile(entry.Name()) && !entry.IsDir() {
				found = append(found, filepath.Join(at, entry.Name()))
			}
		}
		switch {
		case top:
			return found
		case at == filepath.Dir(at):
			return nil // in no repository
		}
	}
}

// gitParts are the places of a repository, given by its .git, that can make Git
// run a program: its settings and hooks, and those of its modules and further
// working trees. Hooks that are not there yet are made, as an empty folder: only
// what is there can be kept as it is.
func gitParts(git string) []string {
	info, err := os.Lstat(git)
	if err != nil || !info.IsDir() {
		return []string{git} // a file that says where the repository is
	}
	var parts []string
	var add func(dir string, depth int)
	add = func(dir string, depth int) {
		if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil { // no further working tree
			os.Mkdir(filepath.Join(dir, "hooks"), 0o755)
		}
		for _, name := range []string{"config", "config.worktree", "hooks", "commondir", "gitdir"} {
			parts = append(parts, filepath.Join(dir, name))
		}
		for _, more := range []string{"modules", "worktrees"} {
			entries, _ := os.ReadDir(filepath.Join(dir, more))
			for _, entry := range entries {
				if depth > 0 && len(parts) < surveyKept*8 && entry.IsDir() {
					add(filepath.Join(dir, more, entry.Name()), depth-1)
				}
			}
		}
	}
	add(git, 2)
	return parts
}

// protectWork adds to a policy what lies in one of its writable folders and is
// not to be written all the same.
func (p *policy) protectWork(dir string, s survey) {
	kept := 0
	keep := func(paths ...string) {
		if kept++; kept <= surveyKept {
			p.protect = append(p.protect, real(paths)...)
		}
	}
	for _, git := range s.git {
		keep(gitParts(git)...)
	}
	for _, skill := range s.skills {
		if !slices.ContainsFunc(p.write, func(w string) bool { return w != p.dir && within(skill, w) }) { // opened by name
			keep(skill)
		}
	}
	if kept > surveyKept {
		p.unknown = append(p.unknown, fmt.Sprintf("%s holds more than %d skills and repositories, of which some can be changed", dir, surveyKept))
	}
	if dir != p.dir {
		return
	}
	if hasSkillFile(dir) {
		p.protect = append(p.protect, real(ownParts(dir))...)
		p.unknown = append(p.unknown, "the working folder is a skill, in which all but "+strings.Join(ownNames(), ", ")+" can be changed")
		return
	}
	const levels = 4
	for at, i := filepath.Dir(dir), 0; i < levels && at != filepath.Dir(at); at, i = filepath.Dir(at), i+1 {
		if hasSkillFile(at) {
			entries, _ := os.ReadDir(dir)
			for _, entry := range entries {
				p.protect = append(p.protect, real([]string{filepath.Join(dir, entry.Name())})...)
			}
			p.unknown = append(p.unknown, "the working folder is a part of the skill "+at+", to which files can be added")
			return
		}
	}
}

// ownNames are the parts of a skill that are kept as they are where it is the
// working folder: there scripts may also leave what they make.
func ownNames() []string { return []string{"SKILL.md", "scripts", "references", "assets"} }

// ownParts are those parts of a skill that there are.
func ownParts(dir string) []string {
	var parts []string
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if slices.ContainsFunc(ownNames(), func(name string) bool { return strings.EqualFold(name, entry.Name()) }) {
			parts = append(parts, filepath.Join(dir, entry.Name()))
		}
	}
	return parts
}
