package loader

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Target is what a path given by a user stands for.
type Target struct {
	Path string // as given
	// Tree says that Path is a folder that was searched and is no skill
	// itself; otherwise Skills holds one entry.
	Tree bool
	// Skills are empty only where the search excludes all that a tree holds;
	// File is "" where a folder holds no skill.
	Skills []Found
}

// maxAscent is how many folders above a file are looked at for its skill.
const maxAscent = 16

// Resolve finds what path stands for: a skill's folder, its SKILL.md, any file
// inside a skill, or a tree that is searched. A folder without skills is
// returned as a skill without its file. Errors are *TargetError, unless the
// context ended or the search's settings cannot be meant (*ConfigError).
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
	case errors.As(err, new(*ConfigError)), errors.As(err, new(*TargetError)):
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
		without := s
		without.Exclude, without.Notify = nil, nil
		if all, err := without.Find(ctx, path); err == nil && len(all) > 0 {
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
// that is one, on the way the path was written first, then on the way with
// links resolved.
func (s Search) skillOf(ctx context.Context, file string) (Found, error) {
	ways := []string{parent(file)}
	if real, err := resolve(file); err == nil {
		ways = append(ways, filepath.Dir(real))
	}
	var failure error
	for _, dir := range ways {
		for range maxAscent {
			found, err := s.Inspect(ctx, dir)
			if ctx.Err() != nil {
				return Found{}, context.Cause(ctx)
			}
			if err != nil && failure == nil {
				failure = err
			}
			if found.File != "" {
				return found, nil
			}
			if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || isTop(dir) {
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

func isTop(dir string) bool {
	abs, err := filepath.Abs(dir)
	return err != nil || filepath.Dir(abs) == abs
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
