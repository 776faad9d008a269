package script

// What a script leaves behind in places that programs read or run by themselves is found by
// comparing marks from before and after it.

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/script/sandbox"
)

// Leftover is a protected name that is new or changed after a script: a .env file, or
// something that can make other programs run code later.
type Leftover struct {
	Path  string // absolute
	Name  string // relative to the working folder if it is below it, else Path
	State string // new, changed or removed
}

// String returns the name and the state for messages.
func (l Leftover) String() string { return printable.Line(l.Name) + " (" + l.State + ")" }

// LeftoverText lists the first names for a message in one line.
func LeftoverText(left []Leftover) string {
	const most = 10
	var texts []string
	for _, l := range left[:min(len(left), most)] {
		texts = append(texts, l.String())
	}
	text := strings.Join(texts, ", ")
	if more := len(left) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// watch notes the state of what is protected, and returns the function that removes what
// must not stay in repositories, and says what else is left behind.
func watch(r *Runner, s Script, p sandbox.Policy) (look func() []Leftover, err error) {
	repositories, err := guardRepositories(p)
	if err != nil {
		return nil, err
	}
	dirs := []string{r.Dir, s.Dir}
	before := takeMarks(dirs)
	return func() (left []Leftover) {
		for _, repository := range repositories {
			left = append(left, repository.clean()...)
		}
		for _, l := range takeMarks(dirs).since(before, r.Dir) {
			known := func(other Leftover) bool { return other.Path == l.Path }
			if !slices.ContainsFunc(left, known) {
				left = append(left, l)
			}
		}
		return left
	}, nil
}

// marks is the state of protected names, by path.
type marks map[string]string

// maxMarks is how many files and folders in one protected folder are compared.
const maxMarks = 20_000

// takeMarks returns the state of the protected names in folders. What cannot be read does
// not count: a script that creates it makes it readable, or of no use to others.
func takeMarks(dirs []string) marks {
	m := marks{}
	var done []string
	for _, dir := range dirs {
		real := sandbox.Real(dir)
		if dir == "" || slices.Contains(done, real) {
			continue
		}
		done = append(done, real)
		m.folder(real)
	}
	return m
}

// folder marks the protected names in a folder, and the repositories one level below.
func (m marks) folder(dir string) {
	if sandbox.IsGitDir(dir) {
		m.gitDir(dir)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		protected := slices.ContainsFunc(sandbox.ProtectedNames(), func(name string) bool { return strings.EqualFold(name, e.Name()) })
		switch {
		case strings.EqualFold(e.Name(), ".git"):
			m.git(path)
		case protected:
			m.all(path)
		case !e.IsDir() && sandbox.IsEnvFile(e.Name()):
			m[path] = files.FollowChain(path).State // a link leads to another file if one further on does
		case e.IsDir() && sandbox.IsGitDir(path):
			m[path] = "git directory"
			m.gitDir(path)
		case e.IsDir():
			m.git(filepath.Join(path, ".git"))
		}
	}
}

// stamp marks a path, if it exists. What happens in a folder does not change its mark.
func (m marks) stamp(path string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case info.IsDir():
		m[path] = info.Mode().String()
	default:
		m[path] = files.Stamp(info)
	}
}

// all marks a path with everything below it.
func (m marks) all(path string) {
	count := 0
	filepath.WalkDir(path, func(path string, _ fs.DirEntry, _ error) error {
		count++
		if count > maxMarks {
			return fs.SkipAll
		}
		m.stamp(path)
		return nil
	})
}

// git marks a .git, which is a folder or a file that names one.
func (m marks) git(path string) {
	m.stamp(path)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		m.gitDir(path)
	}
}

// gitDir marks the parts of a git directory from which Git runs programs. The rest
// changes with every command.
func (m marks) gitDir(dir string) {
	m.all(filepath.Join(dir, "hooks"))
	for _, name := range []string{"config", "config.worktree", "commondir", "gitdir"} {
		m.stamp(filepath.Join(dir, name))
	}
}

// since returns what is new, changed or removed, without what is below something else
// that is new or removed. work is the working folder.
func (m marks) since(before marks, work string) (left []Leftover) {
	work = sandbox.Real(work)
	states := map[string]string{}
	for path, now := range m {
		if then, was := before[path]; !was {
			states[path] = "new"
		} else if then != now {
			states[path] = "changed"
		}
	}
	for path := range before {
		if _, is := m[path]; !is {
			states[path] = "removed"
		}
	}
	for path, state := range states {
		if state != "changed" && belowAnother(states, path, state) {
			continue
		}
		name := path
		if rel, err := filepath.Rel(work, path); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
		left = append(left, Leftover{Path: path, Name: name, State: state})
	}
	slices.SortFunc(left, func(a, b Leftover) int { return strings.Compare(a.Path, b.Path) })
	return left
}

// belowAnother reports whether a folder above a path is in the same state.
func belowAnother(states map[string]string, path, state string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if states[dir] == state {
			return true
		}
	}
	return false
}
