package loader

// What a search can be told, and what it finds. The search itself is in search.go, and what
// it skips in ignore.go.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/spec"
)

// Search configures where and how deep to search for skills. The zero value is
// the default of the command line.
type Search struct {
	// Depth is the number of levels below a root to search, 0 for 6.
	Depth int
	// Exclude holds patterns in .gitignore syntax, relative to ExcludeFrom. An
	// excluded or ignored folder is still searched if it is the root.
	Exclude []string
	// ExcludeFrom is the folder that Exclude is relative to, or "" for the root.
	ExcludeFrom string
	// OwnIgnores disregards the .gitignore files above a root: an agent uses the
	// skills of its folders whether or not a repository tracks them.
	OwnIgnores bool
	// Nested also returns skills inside other skills. Checks set it, because a
	// stray SKILL.md must not hide what is below it.
	Nested bool
	// Named means that the user named the root, so that finding no skill is
	// reported.
	Named bool
	// Notify receives unreadable folders and incomplete searches; it may be nil.
	// It is called at the end, in a fixed order.
	Notify Notify

	// Folder receives each folder that is searched, in order, and returns whether it is
	// something to check besides skills. Folders inside skills are not passed. It may be nil.
	Folder func(Listed) bool

	readDir func(dir string) ([]fs.DirEntry, fileStamp, error) // readDir if nil
	listed  func(folder fileStamp)                             // called for each folder that was read; may be nil
}

// Limits for one root.
const (
	defaultDepth = 6
	maxFolders   = 1_000_000 // 100,000 skills with nine folders each
)

const skillFileName = "SKILL.md"

// Listed is a folder that a search has read.
type Listed struct {
	Dir, Real string // see [Found]
	Level     int    // levels below the root
	Entries   []fs.DirEntry
	Skips     func(name string, isDir bool) bool // whether the search skips an entry
}

// Found is a folder that is a skill, or is checked as one.
type Found struct {
	// Dir is the folder as a user would write it: the root joined with the
	// relative path, links not resolved.
	Dir string
	// Real is the absolute path with links resolved, which identifies the skill.
	Real string
	// File is the directory entry that makes the folder a skill: "SKILL.md" of
	// any type, else a regular file with other letter case such as "skill.md",
	// else "".
	File string

	name   string    // of Dir, if it is known
	plain  bool      // the folder contains only files, and no scripts
	folder fileStamp // the folder before it was listed; empty without Search.listed
	// nested returns the SKILL.md files in subfolders, as sorted relative slash
	// paths; nil if there are no subfolders.
	nested func() []string
}

// Find returns the skills at and below root, sorted by slash path in byte
// order. It returns an error if root is missing, not a folder, or unreadable;
// problems further down are notices.
//
// A folder with a SKILL.md is searched for further skills only if Nested is
// set. A folder with another spelling of the name always is: a page of
// documentation must not hide the skills below it. Links to folders are
// followed once each, after everything that is reached without them, and a
// skill reached twice is listed once.
func (s Search) Find(ctx context.Context, root string) ([]Found, error) {
	w, err := s.start(root)
	if err != nil {
		return nil, err
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	nothing := s.Named && !w.other
	if len(w.found) == 0 && (w.cut || nothing) {
		n := Notice{Path: filepath.Clean(root), Named: true, Hint: "a skill is a folder with a file SKILL.md in it"}
		n.Message = fmt.Sprintf("no skills found in %s (searched %d levels deep)", n.Path, w.depth)
		switch {
		case w.cut:
			n.Hint = "name a folder nearer to the skills"
		case w.exclude != "":
			n.Message = fmt.Sprintf("no skills to check in %s: the configuration excludes %q", n.Path, w.exclude)
			n.Hint = "change the pattern, or name an excluded folder to check it"
		case w.skipped != "":
			n.Hint = "ignored folders are skipped: name one to search it, such as " + w.skipped
		default:
			n.Nothing = true
		}
		w.notices = append(w.notices, n)
	}
	if s.Notify != nil {
		w.noteDeep(ctx, filepath.Clean(root))
		slices.SortStableFunc(w.notices, func(a, b Notice) int { return strings.Compare(a.Path, b.Path) })
		for _, n := range w.notices {
			s.Notify(n)
		}
	}
	found := Unique(w.found)
	w.found, w.visited = nil, nil // found skills refer to the search
	slices.SortStableFunc(found, func(a, b Found) int {
		return strings.Compare(filepath.ToSlash(a.Dir), filepath.ToSlash(b.Dir))
	})
	return found, nil
}

// Inspect examines only dir and returns it with the entry that makes it a
// skill; File is "" if there is none.
func (s Search) Inspect(ctx context.Context, dir string) (Found, error) {
	w, err := s.start(dir)
	if err != nil {
		return Found{}, err
	}
	w.depth = 0
	none := w.queue[0].found("")
	if err := w.run(ctx); err != nil {
		return Found{}, err
	}
	return append(w.found, none)[0], nil
}

// unreadable returns the notice for an unreadable folder.
func unreadable(dir string, err error) Notice {
	if errors.Is(err, errEntries) {
		return Notice{Path: dir, Message: "folder " + errEntries.Error(), Hint: "name the folders that hold the skills, or exclude this one", Unseen: true}
	}
	return Notice{
		Path:    dir,
		Message: "cannot read folder: " + files.Reason(err).Error(),
		Hint:    "skills in it are not seen: make it readable or exclude it",
		Unseen:  true,
	}
}

// skillEntry returns the entry that makes a folder a skill, or "". The exact
// name counts for any type of file, so that a SKILL.md that is a pipe is
// reported.
func skillEntry(entries []fs.DirEntry) (name string, exact bool) {
	for _, e := range entries {
		if e.Name() == skillFileName {
			return skillFileName, true
		}
		if name == "" && isSkillFileName(e.Name()) && e.Type().IsRegular() {
			name = e.Name()
		}
	}
	return name, false
}

// describesSkill reports whether a file has a frontmatter with a name or a
// description.
func describesSkill(dir, name string) bool {
	const most = 1 << 20 // bytes of it
	src, _, _ := readFile(dir, name, nil, 0, most)
	front := src[:spec.Scan("", "", src).Block().BodyStart]
	return bytes.Contains(front, []byte("\nname:")) || bytes.Contains(front, []byte("\ndescription:"))
}

func isSkillFileName(name string) bool { return strings.EqualFold(name, skillFileName) }

// Unique removes duplicate folders, even with different paths. It keeps the
// order.
func Unique(found []Found) []Found {
	first := make(map[string]int, len(found)) // index in out, by the path in lower case
	others := map[string][]string{}           // with the same path in another case
	out := make([]Found, 0, len(found))
	for _, f := range found {
		// A case-insensitive disk lists a folder under one name but accepts
		// several; only names that differ in case are compared by identity.
		key := strings.ToLower(f.Real)
		same := func(other string) bool { return other == f.Real || sameFile(other, f.Real) }
		if i, seen := first[key]; !seen {
			first[key] = len(out)
		} else if same(out[i].Real) || slices.ContainsFunc(others[key], same) {
			continue
		} else {
			others[key] = append(others[key], f.Real)
		}
		out = append(out, f)
	}
	return out
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// DefaultRoots returns the default folders to search: ./skills, then
// .agents/skills and .claude/skills from dir up to the repository's root, then
// the same two under home, which may be "". Nearer folders come first, and the
// first skill with a name takes precedence. The folders may not exist.
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
	if repo, ok := Repository(abs); ok {
		for abs != repo {
			dir, abs = parent(dir), filepath.Dir(abs)
			passed = append(passed, abs)
			add(dir)
		}
	}
	if home != "" && !slices.Contains(passed, filepath.Clean(home)) {
		add(home)
	}
	return roots
}
