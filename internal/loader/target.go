package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"skills/internal/safefile"
)

// Target is what a path given by a user refers to.
type Target struct {
	Path string // as given
	// Tree says that Path is a folder that was searched and is no skill
	// itself; otherwise Skills has one entry.
	Tree bool
	// Skills is empty only if the search excludes everything in a tree; File
	// is "" if a folder holds no skill.
	Skills []Found
}

// maxAscent is how many folders above a file are searched for its skill.
const maxAscent = 16

// Resolve finds what path refers to: a skill's folder, its SKILL.md, any file
// inside a skill, or a tree that is searched. A folder without skills is
// returned as a skill without its file. Errors are *TargetError, unless the
// context ended or the search's settings are invalid (*Error).
func Resolve(ctx context.Context, path string, s Search) (Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Target{}, statError(path, err)
	}
	t := Target{Path: path}
	if !info.IsDir() {
		found, err := s.skillOf(ctx, path)
		t.Skills = []Found{found}
		return t, err
	}
	found, err := s.Find(ctx, path)
	switch {
	case ctx.Err() != nil:
		return Target{}, context.Cause(ctx)
	case errors.As(err, new(*Error)), errors.As(err, new(*TargetError)):
		return Target{}, err
	case err != nil:
		return Target{}, &TargetError{Path: path, Problem: TargetUnreadable, Err: err}
	case len(found) > 0:
		t.Skills, t.Tree = found, found[0].Dir != filepath.Clean(path) || len(found) > 1
		return t, nil
	}
	if filepath.Base(path) == skillFileName { // a folder in the file's place
		if f, err := s.Inspect(ctx, parent(path)); err == nil && f.File == skillFileName {
			t.Skills = []Found{f}
			return t, nil
		}
	}
	if len(s.Exclude) > 0 {
		all := s
		all.Exclude, all.Notify = nil, nil
		if found, err := all.Find(ctx, path); err == nil && len(found) > 0 {
			t.Tree = true
			return t, nil
		}
	}
	f := Found{Dir: filepath.Clean(path)}
	if f.Real, err = resolve(path); err != nil {
		return Target{}, &TargetError{Path: path, Problem: TargetUnreadable, Err: err}
	}
	t.Skills = []Found{f}
	return t, nil
}

// skillOf finds the skill that a file belongs to: the nearest folder upwards
// that is one, along the path as it was written first, then along the path with
// links resolved.
func (s Search) skillOf(ctx context.Context, file string) (Found, error) {
	starts := []string{parent(file)}
	if real, err := resolve(file); err == nil {
		starts = append(starts, filepath.Dir(real))
	}
	var failure error
	for _, dir := range starts {
		for range maxAscent {
			found, err := s.Inspect(ctx, dir)
			if ctx.Err() != nil {
				return Found{}, context.Cause(ctx)
			}
			failure = cmp.Or(failure, err)
			if found.File != "" {
				return found, nil
			}
			abs, err := filepath.Abs(dir)
			if _, noRepository := os.Lstat(filepath.Join(dir, ".git")); noRepository == nil || err != nil || filepath.Dir(abs) == abs {
				break
			}
			dir = parent(dir)
		}
	}
	if failure != nil {
		return Found{}, &TargetError{Path: file, Problem: TargetUnreadable, Err: failure}
	}
	return Found{}, &TargetError{Path: file, Problem: TargetNoSkill}
}

// TargetProblem is why a path refers to no skill.
type TargetProblem uint8

const (
	TargetMissing    TargetProblem = iota // the path does not exist
	TargetNotFolder                       // the path continues behind a file
	TargetNoSkill                         // a file that is not part of a skill
	TargetUnreadable                      // the file system returned an error
)

// TargetError is a path that cannot be checked. Its text names the path and
// keeps the phrases of the reference library ("does not exist", "Not a
// directory").
type TargetError struct {
	Path    string
	Problem TargetProblem
	Err     error // of the file system, or nil

	link string // what a link at Path leads to
}

func statError(path string, err error) error {
	e := &TargetError{Path: path, Problem: TargetUnreadable, Err: err}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		e.Problem = TargetNotFolder
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = TargetMissing
		e.link, _ = os.Readlink(path)
	}
	return e
}

// Error says what is wrong with the path, which it starts with.
func (e *TargetError) Error() string {
	separator := " "
	if e.Problem == TargetNotFolder || e.Problem == TargetUnreadable {
		separator = ": "
	}
	return cmp.Or(e.Path, `""`) + separator + e.Reason()
}

// Reason says what is wrong without naming the path.
func (e *TargetError) Reason() string {
	var folder *TargetError
	switch {
	case e.Problem == TargetMissing && e.link != "":
		return fmt.Sprintf("is a link to %s, which does not exist", e.link)
	case e.Problem == TargetMissing:
		return "does not exist"
	case e.Problem == TargetNotFolder:
		return "Not a directory: a part of the path is a file"
	case e.Problem == TargetNoSkill:
		return "is not part of a skill: SKILL.md not found in its folder or any parent"
	case errors.As(e.Err, &folder):
		return fmt.Sprintf("cannot search for its skill: %v", folder)
	}
	return fmt.Sprintf("cannot be read: %v", safefile.Reason(e.Err))
}

// Hint says what to do about it.
func (e *TargetError) Hint() string {
	switch {
	case e.Problem == TargetMissing, e.Problem == TargetNotFolder:
		return "check the path and the current directory"
	case e.Problem == TargetNoSkill:
		return "name a skill's folder, a file inside one, or a folder that holds skills"
	case isLinkLoop(e.Err):
		return "repair the links"
	}
	return "check the permissions"
}

// Unwrap returns the file system's error.
func (e *TargetError) Unwrap() error { return e.Err }
