// Package audit audits skills: it records their files with digests and facts, finds
// changes since a record, and compares skills with the lock files of installers.
package audit

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

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// version is increased when readers of the file have to change.
const version = 1

// Manifest is a record of skills, which is also the result of an audit.
type Manifest struct {
	SchemaVersion int     `json:"schema_version"`
	Skills        []Skill `json:"skills"`          // sorted by path
	Lock          *Lock   `json:"lock,omitempty"`  // nil without a skills-lock.json
	Locks         []Lock  `json:"locks,omitempty"` // all lock files, that one among them
}

// Skill is a skill with all its files, or after a comparison with those that differ.
type Skill struct {
	Path  string `json:"path"` // in a file relative to its folder, with slashes
	Name  string `json:"name"`
	State State  `json:"state,omitempty"` // after a comparison
	Files []File `json:"files"`           // sorted by path

	real string // the folder, absolute with links resolved
}

// File is a file of a skill.
type File struct {
	Path    string `json:"path"`             // relative to the skill, with slashes
	State   State  `json:"state,omitempty"`  // after a comparison
	Digest  string `json:"digest,omitempty"` // "" for a link, and for an unread file
	Size    int64  `json:"size"`
	Link    string `json:"link,omitempty"`    // target of a symbolic link
	Fixture bool   `json:"fixture,omitempty"` // for evals or tests
	Facts   []Fact `json:"facts"`             // after a comparison only new facts
}

// Counts returns how many facts there are, how many of them in files for evals or tests,
// and how many files have changed.
func (m Manifest) Counts() (found, inFixtures, changed int) {
	for _, s := range m.Skills {
		for _, f := range s.Files {
			found += len(f.Facts)
			if f.Fixture {
				inFixtures += len(f.Facts)
			}
			if f.State != "" {
				changed++
			}
		}
	}
	return found, inFixtures, changed
}

// Facts returns the number of facts of some kinds.
func (m Manifest) Facts(kinds []string) (n int) {
	for _, s := range m.Skills {
		for _, f := range s.Files {
			for _, fact := range f.Facts {
				if slices.Contains(kinds, fact.Kind) {
					n++
				}
			}
		}
	}
	return n
}

// State is the result of comparing a skill or a file with a record or lock file.
type State string

// The states of skills and files compared with a manifest.
const (
	Added   State = "added"
	Changed State = "changed"
	Removed State = "removed"
)

const writeAgain = "write it again with --write-manifest"

// write records the skills in the file at path. Unreadable files are an error, because
// later changes could not be detected.
func (m Manifest) write(ctx context.Context, path string) error {
	out := Manifest{SchemaVersion: version, Skills: slices.Clone(m.Skills)}
	for i, s := range out.Skills {
		for _, f := range s.Files {
			if f.Digest == "" && f.Link == "" {
				return &fault.Error{Path: filepath.Join(s.Path, filepath.FromSlash(f.Path)), Message: "cannot be recorded: it " + f.Facts[0].Text, Hint: "remove it, or make it readable"}
			}
		}
		out.Skills[i].Path = s.key(folder(path))
	}
	slices.SortFunc(out.Skills, func(a, b Skill) int { return strings.Compare(a.Path, b.Path) })
	return files.SaveJSON(ctx, path, out)
}

var digests = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)

// load reads the manifest at path, of at most 128 MiB. The error is a *fault.Error
// with the line.
func load(path string) (m Manifest, err error) {
	src, err := files.Load(path, 128<<20, "create it with --write-manifest", "name a file that --write-manifest wrote")
	if err != nil {
		return m, err
	}
	if err := jsonpos.DecodeJSON(path, src, &m, writeAgain); err != nil {
		return m, err
	}
	at := bytes.Index(src, []byte(`"schema_version"`)) // otherwise of the last path: every skill and file has one
	wrong := func(format string, args ...any) error {
		return jsonpos.ErrorAt(path, src, at, fmt.Sprintf(format, args...), writeAgain)
	}
	switch {
	case m.SchemaVersion != version:
		return m, wrong("has schema_version %d; this program needs %d", m.SchemaVersion, version)
	case m.Skills == nil:
		return m, wrong("is damaged: it has no list of skills")
	}
	next := func() { at += 1 + max(bytes.Index(src[at+1:], []byte(`"path"`)), 0) }
	for i, s := range m.Skills {
		if next(); s.Path == "" || i > 0 && s.Path <= m.Skills[i-1].Path {
			return m, wrong("is damaged: skills are not in the order of their paths at %s", printable.Quote(s.Path))
		}
		for j, f := range s.Files {
			next()
			switch {
			case !fs.ValidPath(f.Path):
				return m, wrong("is damaged: not the path of a file: %s", printable.Quote(f.Path))
			case j > 0 && f.Path <= s.Files[j-1].Path:
				return m, wrong("is damaged: files are not in the order of their paths at %s", printable.Quote(f.Path))
			case f.Link == "" && !digests().MatchString(f.Digest):
				return m, wrong("is damaged: not a digest: %s", printable.Quote(f.Digest))
			}
		}
	}
	return m, nil
}

// folder returns the folder of a file, absolute and if possible with links resolved.
func folder(file string) string {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return filepath.Dir(file)
	}
	return files.Resolved(dir)
}

// key returns the name of a skill in a manifest in the given folder.
func (s Skill) key(dir string) string {
	return strings.ToValidUTF8(filepath.ToSlash(relative(dir, s.real)), "\uFFFD")
}

// relative returns a path relative to a folder, or the path itself on another drive.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}

// since keeps the skills that differ from the manifest in a folder. A skill that is
// only in the manifest is removed if its folder no longer contains a skill; its path is
// relative to the folder work.
func (m Manifest) since(dir, work string, skills []Skill) []Skill {
	old := map[string]Skill{}
	for _, s := range m.Skills {
		old[s.Path] = s
	}
	out := []Skill{}
	for _, s := range skills {
		before, known := old[s.key(dir)]
		delete(old, s.key(dir))
		s.State = Changed
		if !known {
			s.State = Added
		}
		s.Files = compare(before.Files, s.Files)
		if !known || len(s.Files) > 0 {
			out = append(out, s)
		}
	}
	for key, s := range old {
		if !filepath.IsAbs(key) {
			key = filepath.Join(dir, filepath.FromSlash(key))
		}
		if _, err := os.Lstat(filepath.Join(key, "SKILL.md")); errors.Is(err, fs.ErrNotExist) {
			out = append(out, Skill{Path: relative(work, key), Name: s.Name, State: Removed, Files: []File{}})
		}
	}
	slices.SortFunc(out, func(a, b Skill) int { return strings.Compare(filepath.ToSlash(a.Path), filepath.ToSlash(b.Path)) })
	return out
}

// compare returns the files that differ, sorted by path, with new facts.
func compare(old, now []File) []File {
	before := map[string]File{}
	for _, f := range old {
		before[f.Path] = f
	}
	out := []File{}
	for _, f := range now {
		a, known := before[f.Path]
		delete(before, f.Path)
		switch {
		case !known:
			f.State = Added
		case a.Digest == f.Digest && a.Link == f.Link:
			continue
		default:
			f.State, f.Facts = Changed, slices.DeleteFunc(slices.Clone(f.Facts), func(n Fact) bool {
				return slices.ContainsFunc(a.Facts, func(o Fact) bool { return o.Kind == n.Kind && o.Text == n.Text && o.More >= n.More })
			})
		}
		out = append(out, f)
	}
	for _, f := range before {
		f.State, f.Facts = Removed, []Fact{}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}
