package manifest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"skills/internal/facts"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
)

// Options are what an audit is asked for. Everything but Dir may be empty.
type Options struct {
	Dir    string   // working folder, absolute
	Paths  []string // as for a check; none are the working folder
	Since  string   // report only what has changed since this manifest
	Write  string   // record the skills in this file
	Notify loader.Notify
}

// Result is what an audit found. Slices are never nil.
type Result struct {
	SchemaVersion int         `json:"schema_version"`
	Summary       Summary     `json:"summary"`
	Skills        []Audited   `json:"skills"` // with a manifest only those that differ
	Lock          *LockResult `json:"lock"`   // nil without a lock file
}

// Summary counts what was found.
type Summary struct {
	Skills   int `json:"skills"` // that were read
	Files    int `json:"files"`
	Facts    int `json:"facts"`
	Fixtures int `json:"fixture_facts"` // of them, in evals and test fixtures
	Changes  int `json:"changes"`       // files that are not as the manifest has them
}

// Audited is a skill in the result.
type Audited struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	State   State  `json:"state,omitempty"` // compared with a manifest
	Changes []Diff `json:"changes"`         // compared with a manifest
	Facts   []Fact `json:"facts"`           // with a manifest those that are new
}

// Diff is a file that differs from the manifest.
type Diff struct {
	File  string `json:"file"`
	State State  `json:"state"`
}

// Fact is a fact with its file.
type Fact struct {
	File    string `json:"file"` // relative to the skill, with slashes
	Fixture bool   `json:"fixture"`
	facts.Fact
}

// LockResult is the comparison with a lock file.
type LockResult struct {
	Path   string   `json:"path"`
	Skills []Locked `json:"skills"` // that are not exactly as they were locked
}

// Differs reports whether something is not as the manifest or the lock file has it.
// A skill that is locked without a digest, or has other line endings, does not count.
func (r Result) Differs() bool {
	return r.Summary.Changes > 0 || slices.ContainsFunc(r.Skills, func(s Audited) bool { return s.State != "" }) ||
		r.Lock != nil && slices.ContainsFunc(r.Lock.Skills, func(l Locked) bool { return l.State != Unpinned && l.State != LineEndings })
}

// Audit reads skills, compares them with a manifest and with the lock file of their
// project, and records them. Errors are *safefile.Error, those of [lint.Find], and
// the context's.
func Audit(ctx context.Context, o Options) (Result, error) {
	result := Result{SchemaVersion: 1, Skills: []Audited{}}
	var since *Manifest
	var except []string
	if o.Since != "" {
		var err error
		if since, err = Load(o.Since); err != nil {
			return result, err
		}
		except = append(except, o.Since)
	}
	if o.Write != "" {
		except = append(except, o.Write)
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	found, err := lint.Find(ctx, loader.Search{Nested: true, Notify: o.Notify}, paths)
	if err != nil {
		return result, err
	}
	found = slices.DeleteFunc(found, func(f loader.Found) bool { return f.File == "" }) // a notice says so
	skills, err := Take(ctx, found, except...)
	if err != nil {
		return result, err
	}
	result.Summary.Skills = len(skills)
	for _, s := range skills {
		result.Summary.Files += len(s.Files)
	}
	if since == nil {
		for _, s := range skills {
			audited := Audited{Path: s.Path, Name: s.Name, Changes: []Diff{}, Facts: []Fact{}}
			for _, f := range s.Files {
				audited.add(f.Path, f.Facts)
			}
			result.Skills = append(result.Skills, audited)
		}
	} else {
		for _, c := range since.Compare(folder(o.absolute("x")), skills) {
			audited := Audited{Path: c.Path, Name: c.Name, State: c.State, Changes: []Diff{}, Facts: []Fact{}}
			for _, f := range c.Changes {
				audited.Changes = append(audited.Changes, Diff{f.File, f.State})
				audited.add(f.File, f.Facts)
			}
			result.Summary.Changes += len(audited.Changes)
			result.Skills = append(result.Skills, audited)
		}
	}
	for _, s := range result.Skills {
		result.Summary.Facts += len(s.Facts)
		for _, f := range s.Facts {
			if f.Fixture {
				result.Summary.Fixtures++
			}
		}
	}
	if result.Lock, err = o.compareLock(ctx, found); err == nil && o.Write != "" {
		err = Write(ctx, o.Write, skills)
	}
	return result, err
}

// add adds the facts of a file.
func (a *Audited) add(file string, found []facts.Fact) {
	for _, f := range found {
		a.Facts = append(a.Facts, Fact{file, facts.IsFixture(file), f})
	}
}

// compareLock compares the skills with the lock file of the working folder's
// project, nil without one.
func (o Options) compareLock(ctx context.Context, found []loader.Found) (*LockResult, error) {
	path := FindLock(o.Dir)
	if path == "" {
		return nil, nil
	}
	lock, err := LoadLock(path)
	if err != nil {
		return nil, err
	}
	display := func(real string) string {
		for _, f := range found {
			if f.Real == real {
				return f.Dir
			}
		}
		return relative(folder(filepath.Join(o.Dir, "x")), real)
	}
	all := len(o.Paths) == 0 || slices.ContainsFunc(o.Paths, func(p string) bool { return folder(filepath.Join(o.absolute(p), "x")) == folder(path) })
	skills, err := lock.Compare(ctx, found, all, display)
	return &LockResult{relative(o.Dir, path), append([]Locked{}, skills...)}, err
}

func (o Options) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.Dir, path)
}

// String is the summary in one line.
func (s Summary) String() string {
	text := fmt.Sprintf("%s, %s: %s", printable.Plural(s.Skills, "skill"), printable.Plural(s.Files, "file"), printable.Plural(s.Facts, "fact"))
	if s.Fixtures > 0 {
		text += fmt.Sprintf(" (%d in evals and test fixtures)", s.Fixtures)
	}
	return text
}
