package script

// A program that may write the history of a Git repository must not leave behind what Git
// takes for settings or programs. The sandbox keeps what exists read-only, if it can; what
// appeared is found afterwards by comparing names, and removed, and what changed is restored. The program has ended then.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/lazyregexp"
	"skills/internal/script/sandbox"
)

// maxGuarded is how many files and folders of a Git directory are compared, without objects.
const maxGuarded = 50_000

// repository is a Git directory whose history a program may write.
type repository struct {
	dir    string
	work   string   // the working folder
	write  []string // folders that the program may write
	info   fs.FileInfo
	before map[string]bool // the guarded names, links, pipes and working trees in it
	runs   map[string]bool // the lines of unfinished rebases that run commands
	most   int             // how many files and folders are compared
	kinds  map[string]fs.FileMode
	kept   map[string]keptFile
	size   int64 // of what is kept
}

// guardRepositories notes what is in the repositories of a policy.
func guardRepositories(p sandbox.Policy) (list []*repository, err error) {
	for _, dir := range p.Repositories {
		r := &repository{
			dir: dir, work: p.Dir, write: p.Write, most: maxGuarded,
			before: map[string]bool{}, runs: map[string]bool{}, kinds: map[string]fs.FileMode{}, kept: map[string]keptFile{},
		}
		err := r.open(func(root *os.Root) (err error) {
			r.info, err = root.Stat(".")
			if err != nil {
				return err
			}
			for _, name := range r.todoLists(root) {
				lines, _ := commandLines(root, name)
				for _, line := range lines {
					r.runs[line] = true
				}
			}
			return r.walk(root, r.most, func(name string) { r.note(root, name) })
		})
		if err != nil {
			return nil, refusePolicy(fmt.Errorf("%s cannot be checked: %w", dir, err))
		}
		list = append(list, r)
	}
	return list, nil
}

func (r *repository) open(do func(*os.Root) error) error {
	info, err := os.Lstat(r.dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return files.Reason(err)
	}
	root, err := files.OpenFolder(r.dir)
	if err != nil {
		return files.Reason(err)
	}
	defer root.Close()
	return do(root)
}

// walk visits what is guarded, by its name with slashes: settings and hooks, links and
// everything else that is neither a file nor a folder, and the folders of working trees.
func (r *repository) walk(root *os.Root, most int, visit func(name string)) error {
	guarded := map[string]bool{}
	for _, name := range r.guarded() {
		guarded[name] = true
	}
	count := 0
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		count++
		switch {
		case err != nil && name == ".":
			return files.Reason(err)
		case err != nil:
			return nil
		case count > most:
			return fmt.Errorf("it has more than %d files", most)
		}
		isIn := func(dir string) bool { return guarded[dir] }
		special := !entry.IsDir() && !entry.Type().IsRegular()
		tree := entry.IsDir() && path.Dir(name) == "worktrees"
		inGuarded := guarded[name] || slices.ContainsFunc(parents(name), isIn)
		if special || tree || inGuarded {
			visit(name)
		}
		if entry.IsDir() && isBulk(name) {
			return fs.SkipDir
		}
		return nil
	})
}

// guarded returns the names of the parts that Git takes for settings, with slashes.
func (r *repository) guarded() (names []string) {
	for _, path := range sandbox.Guarded(r.dir) {
		rel, err := filepath.Rel(r.dir, path)
		if err == nil {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

// parents returns the folders above a name, the nearest first.
func parents(name string) (dirs []string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// isBulk reports whether a folder of a Git directory has files that nothing writes twice.
func isBulk(name string) bool {
	switch dir, base := path.Split(name); dir {
	case "objects/":
		return base != "info"
	case "lfs/", "annex/":
		return base == "objects"
	case "modules/": // read-only, if the sandbox can do that
		return true
	}
	return false
}

// clean removes what appeared, and returns it.
func (r *repository) clean() (left []Leftover) {
	report := func(name, state string) {
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		shown := path
		if rel, err := filepath.Rel(r.work, path); err == nil && filepath.IsLocal(rel) {
			shown = filepath.ToSlash(rel)
		}
		left = append(left, Leftover{Path: path, Name: shown, State: state})
	}
	err := r.open(func(root *os.Root) error {
		info, err := root.Stat(".")
		if err != nil || !os.SameFile(info, r.info) {
			report(".", "replaced")
		}
		var bad []string
		examine := func(name string) {
			switch isIn := func(dir string) bool { return slices.Contains(bad, dir) }; {
			case r.isBefore(root, name), isIn(name), slices.ContainsFunc(parents(name), isIn):
			case path.Dir(name) == "worktrees" && r.isTree(root, name):
			case r.partOfTree(root, name):
			default:
				bad = append(bad, name)
			}
		}
		for _, name := range r.guarded() { // also if there are too many files to walk
			_, err := root.Lstat(name)
			if err != nil {
				continue
			}
			if tree := path.Dir(name); path.Dir(tree) == "worktrees" {
				examine(tree)
			}
			examine(name)
		}
		failed := r.walk(root, 2*r.most, examine)
		bad = append(bad, r.todoLists(root)...)
		for _, name := range bad {
			state := "new; it was removed"
			err := root.RemoveAll(name)
			if err != nil {
				state = "new; it could not be removed"
			}
			report(name, state)
		}
		r.restore(root, report)
		if !sandbox.IsGitDir(r.dir) { // Git would take another folder for the repository
			report(".", "no repository any more")
		}
		return failed
	})
	if err != nil {
		report(".", "changed; "+err.Error())
	}
	return left
}

// partOfTree reports whether a name is one of the two that a new working tree has.
func (r *repository) partOfTree(root *os.Root, name string) bool {
	dir, base := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	named := base == "gitdir" || base == "commondir"
	return named && path.Dir(dir) == "worktrees" && !r.before[dir] && r.isTree(root, dir)
}

// isTree reports whether a new folder in worktrees belongs to a working tree where the
// program may write, and that names it.
func (r *repository) isTree(root *os.Root, name string) bool {
	common, err := smallFile(root, path.Join(name, "commondir"))
	if err != nil || common != "../.." {
		return false
	}
	link, err := smallFile(root, path.Join(name, "gitdir"))
	if err != nil {
		return false
	}
	own := filepath.Join(r.dir, filepath.FromSlash(name))
	if !filepath.IsAbs(link) {
		link = filepath.Join(own, link)
	}
	link = filepath.Clean(link)
	inside := slices.ContainsFunc(r.write, func(dir string) bool { return sandbox.Within(link, dir) })
	if !inside || filepath.Base(link) != ".git" || sandbox.Within(link, r.dir) {
		return false
	}
	tree, err := files.OpenFolder(filepath.Dir(link))
	if err != nil {
		return false
	}
	defer tree.Close()
	back, err := smallFile(tree, ".git")
	target, ok := strings.CutPrefix(back, "gitdir:")
	target = strings.TrimSpace(target)
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(link), target)
	}
	return err == nil && ok && filepath.Clean(target) == own
}

// smallFile returns the text of a regular file that is not a link, without blanks around it.
func smallFile(root *os.Root, name string) (string, error) {
	const most = 1 << 20
	info, err := root.Lstat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > most) {
		err = errors.New("it is not a small file")
	}
	if err != nil {
		return "", err
	}
	text, err := root.ReadFile(name)
	return strings.TrimSpace(string(text)), err
}

// runsCommand matches a line of a list of a rebase that runs a command.
var runsCommand = lazyregexp.New(`(?m)^\s*(x|exec)\s.*$`)

// commandLines returns the lines of a list of a rebase that run commands.
func commandLines(root *os.Root, name string) ([]string, error) {
	text, err := smallFile(root, name)
	return runsCommand().FindAllString(text, -1), err
}

// todoLists returns the lists of an unfinished rebase that run commands when it is continued
// which they did not run before.
func (r *repository) todoLists(root *os.Root) (found []string) {
	dirs := []string{"."}
	trees, _ := fs.ReadDir(root.FS(), "worktrees")
	for _, tree := range trees {
		dirs = append(dirs, path.Join("worktrees", tree.Name()))
	}
	for _, dir := range dirs {
		for _, name := range []string{"git-rebase-todo", "git-rebase-todo.backup"} {
			name = path.Join(dir, "rebase-merge", name)
			_, err := root.Lstat(name)
			if err != nil {
				continue
			}
			lines, err := commandLines(root, name)
			if err != nil || slices.ContainsFunc(lines, func(line string) bool { return !r.runs[line] }) {
				found = append(found, name)
			}
		}
	}
	return found
}
