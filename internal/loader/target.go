package loader

// A path of the user is a skill, a file in one, or a tree. What it is not is explained with
// the phrases of the reference library, and with where a skill of that name is.

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"skills/internal/fault"
	"skills/internal/files"
)

// Target is what a path given by the user refers to.
type Target struct {
	Path string // as given
	// Tree is true if Path is a folder to search that is not a skill; otherwise
	// Skills has one entry.
	Tree bool
	// Skills is empty only if the search excludes everything in a tree; File is
	// "" if a folder does not contain a skill.
	Skills []Found
}

// maxAscent is how many folders above a file are searched for its skill.
const maxAscent = 16

// Resolve returns what path refers to: a skill's folder, its SKILL.md, any file
// inside a skill, or a tree that it searches. A folder without skills is
// returned as a skill without a file. Errors are *TargetError, unless the
// context ended or the search's settings are invalid (*fault.Error).
func Resolve(ctx context.Context, path string, s Search) (Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Target{}, statError(path, err)
	}
	t := Target{Path: path}
	if !info.IsDir() || filepath.Base(path) == skillFileName { // the skill's fault is that this is a folder
		found, err := s.SkillOf(ctx, path)
		t.Skills = []Found{found}
		return t, err
	}
	t.Skills, err = s.Find(ctx, path)
	switch {
	case err != nil:
		return Target{}, err
	case len(t.Skills) > 0:
		t.Tree = t.Skills[0].Dir != filepath.Clean(path) || len(t.Skills) > 1
		return t, nil
	}
	if len(s.Exclude) > 0 {
		all := s
		all.Exclude, all.Notify = nil, nil
		if found, err := all.Find(ctx, path); err == nil && len(found) > 0 {
			t.Tree = true
			return t, nil
		}
	}
	found, err := s.Inspect(ctx, path)
	t.Skills = []Found{found}
	return t, err
}

// SkillOf returns the nearest skill above a file, which need not exist: first along
// the path as written, then along the path with links resolved. The error is a
// *TargetError if there is none.
func (s Search) SkillOf(ctx context.Context, file string) (Found, error) {
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
		return Found{}, targetError(file, TargetUnreadable, failure,
			": cannot search for its skill: "+failure.Error(), "check the permissions")
	}
	return Found{}, targetError(file, TargetNoSkill, nil,
		" is not part of a skill: Not a directory, and no SKILL.md in its folder or any parent",
		"name a skill's folder, a file inside one, or a folder that holds skills")
}

// TargetProblem is the reason why a path does not refer to a skill.
type TargetProblem uint8

const (
	TargetMissing    TargetProblem = iota // the path does not exist, or continues after a file
	TargetNoSkill                         // a file that is not part of a skill
	TargetUnreadable                      // the file system returned an error
)

// TargetError is returned for a path that cannot be checked. Its text starts
// with the path and keeps the phrases of the reference library.
type TargetError struct {
	Problem TargetProblem
	Err     *fault.Error // with the path, the hint, and the file system's error or nil

	reason string
}

func targetError(path string, problem TargetProblem, err error, reason, hint string) *TargetError {
	return &TargetError{problem, &fault.Error{Message: cmp.Or(path, `""`) + reason, Hint: hint, Err: err}, reason}
}

// statError returns the error for a path that the file system rejects.
func statError(path string, err error) error {
	const check = "check the path and the current directory"
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return targetError(path, TargetMissing, err, ": Not a directory: a part of the path is a file", check)
	case errors.Is(err, fs.ErrNotExist):
		reason := " does not exist"
		if link, err := os.Readlink(path); err == nil {
			reason = " is a link to " + link + ", which does not exist"
		}
		if skill := skillNamed(path); skill != "" {
			return targetError(path, TargetMissing, err, reason, "one of that name is "+skill)
		}
		return targetError(path, TargetMissing, err, reason, check)
	}
	hint := "check the permissions"
	if errors.Is(err, syscall.ELOOP) {
		hint = "repair the links"
	}
	return targetError(path, TargetUnreadable, err, ": cannot be read: "+files.Reason(err).Error(), hint)
}

// skillNamed returns the folder of a skill in the default places whose folder has the name
// that was given in place of a path, "" for none.
func skillNamed(path string) string {
	name := filepath.Clean(path)
	if filepath.Base(name) != name {
		return ""
	}
	for _, root := range DefaultRoots(".", "") {
		dir := filepath.Join(root, name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// Error returns the path and the reason.
func (e *TargetError) Error() string { return e.Err.Error() }

// Reason returns the reason without the path.
func (e *TargetError) Reason() string { return strings.TrimLeft(e.reason, ": ") }

// Unwrap returns the error with its hint.
func (e *TargetError) Unwrap() error { return e.Err }
