package loader

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"skills/internal/safefile"
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
// context ended or the search's settings are invalid (*Error).
func Resolve(ctx context.Context, path string, s Search) (Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Target{}, statError(path, err)
	}
	t := Target{Path: path}
	if !info.IsDir() || filepath.Base(path) == skillFileName { // the skill's fault is that this is a folder
		found, err := s.skillOf(ctx, path)
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

// skillOf returns the nearest skill above a file, first along the path as
// written, then along the path with links resolved.
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
		return Found{}, &TargetError{Path: file, Problem: TargetUnreadable, Err: failure,
			reason: ": cannot search for its skill: " + failure.Error(), hint: "check the permissions"}
	}
	return Found{}, &TargetError{Path: file, Problem: TargetNoSkill,
		reason: " is not part of a skill: Not a directory, and no SKILL.md in its folder or any parent",
		hint:   "name a skill's folder, a file inside one, or a folder that holds skills"}
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
	Path    string
	Problem TargetProblem
	Err     error // from the file system, or nil

	reason, hint string
}

// statError returns the error for a path that the file system rejects.
func statError(path string, err error) error {
	const check = "check the path and the current directory"
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return &TargetError{path, TargetMissing, err, ": Not a directory: a part of the path is a file", check}
	case errors.Is(err, fs.ErrNotExist):
		reason := " does not exist"
		if link, err := os.Readlink(path); err == nil {
			reason = " is a link to " + link + ", which does not exist"
		}
		return &TargetError{path, TargetMissing, err, reason, check}
	}
	hint := "check the permissions"
	if errors.Is(err, syscall.ELOOP) {
		hint = "repair the links"
	}
	return &TargetError{path, TargetUnreadable, err, ": cannot be read: " + safefile.Reason(err).Error(), hint}
}

// Error returns the path and the reason.
func (e *TargetError) Error() string { return cmp.Or(e.Path, `""`) + e.reason }

// Reason returns the reason without the path.
func (e *TargetError) Reason() string { return strings.TrimLeft(e.reason, ": ") }

// Hint returns how to fix the problem.
func (e *TargetError) Hint() string { return e.hint }

// Unwrap returns the file system's error.
func (e *TargetError) Unwrap() error { return e.Err }
