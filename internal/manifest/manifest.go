// Package manifest records what is in skills, file by file with digests and facts,
// keeps that in a file, and says what has changed since. It also compares skills
// with the lock file of Vercel's installer.
package manifest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/facts"
	"skills/internal/printable"
	"skills/internal/safefile"
)

// version grows when a reader of the file would have to change.
const version = 1

// Skill is what a skill's folder holds.
type Skill struct {
	Path  string `json:"path"` // in a manifest relative to its folder, with slashes
	Name  string `json:"name"`
	Files []File `json:"files"` // sorted by path

	real string // the folder, absolute with links resolved
}

// File is a file of a skill.
type File struct {
	Path   string       `json:"path"` // relative to the skill, with slashes
	Digest string       `json:"digest,omitempty"`
	Size   int64        `json:"size"`
	Link   string       `json:"link,omitempty"` // target of a symbolic link
	Facts  []facts.Fact `json:"facts,omitempty"`

	problem string // why it has no digest, "" for nothing
}

// State is how a skill or a file compares with the manifest.
type State string

const (
	Added   State = "added"
	Changed State = "changed"
	Removed State = "removed"
)

// Change is a skill that is not as the manifest has it.
type Change struct {
	Skill
	State State
	// Changes are its files that differ. Their facts are those that are new; a
	// removed file has none.
	Changes []FileChange
}

// FileChange is a file that is not as the manifest has it.
type FileChange struct {
	File  string       `json:"file"`
	State State        `json:"state"`
	Facts []facts.Fact `json:"facts"`
}

// Manifest is a record of skills, and where it was kept.
type Manifest struct {
	Skills []Skill
	dir    string // folder of the file, with links resolved
}

// document is the file.
type document struct {
	SchemaVersion int     `json:"schema_version"`
	Skills        []Skill `json:"skills"`
}

const writeAgain = "write it again with --write-manifest"

// maxFile is the size in bytes up to which a manifest is read.
const maxFile = 128 << 20

// Write records skills in the file at path. It refuses what could not be read:
// nobody could say later whether that has changed.
func Write(ctx context.Context, path string, skills []Skill) error {
	dir := folder(path)
	doc := document{SchemaVersion: version, Skills: []Skill{}}
	for _, s := range skills {
		for _, f := range s.Files {
			if f.problem != "" {
				return &safefile.Error{Path: filepath.Join(s.Path, filepath.FromSlash(f.Path)), Message: "cannot be recorded: " + f.problem, Help: "remove it, or make it readable"}
			}
		}
		s.Path = s.key(dir)
		doc.Skills = append(doc.Skills, s)
	}
	slices.SortFunc(doc.Skills, func(a, b Skill) int { return strings.Compare(a.Path, b.Path) })
	var out bytes.Buffer
	if err := printable.WriteJSON(&out, doc); err != nil {
		return fmt.Errorf("writing manifest: %w", err)
	}
	if err := safefile.Write(ctx, path, out.Bytes()); err != nil {
		return &safefile.Error{Path: path, Message: "cannot be written: " + safefile.Reason(err).Error(), Help: "check the folder and its permissions"}
	}
	return nil
}

// Load reads a manifest. Whatever is wrong with it is a *safefile.Error with its
// line, if it has one.
func Load(path string) (*Manifest, error) {
	src, err := safefile.Load(path, maxFile, "create it with --write-manifest", "name a file that --write-manifest wrote")
	if err != nil {
		return nil, err
	}
	var doc document
	if err := json.Unmarshal(src, &doc); err != nil {
		return nil, safefile.Damaged(path, src, err, writeAgain)
	}
	if doc.SchemaVersion != version {
		return nil, &safefile.Error{Path: path, Message: fmt.Sprintf("has schema_version %d; this program needs %d", doc.SchemaVersion, version), Help: writeAgain}
	}
	entries := 0 // looked at so far, skills and files
	wrong := func(what, text string) error {
		return &safefile.Error{Path: path, Line: lineOfPath(src, entries), Message: fmt.Sprintf("is damaged: %s %s", what, printable.Quote(text)), Help: writeAgain}
	}
	skills := map[string]bool{}
	for _, s := range doc.Skills {
		if entries++; s.Path == "" || skills[s.Path] {
			return nil, wrong("no path for a skill of its own:", s.Path)
		}
		skills[s.Path] = true
		last := ""
		for _, f := range s.Files {
			switch entries++; {
			case f.Path <= last || cleanPath(f.Path) != f.Path:
				return nil, wrong("no path for a file, or not in order:", f.Path)
			case f.Link == "" && !digests.MatchString(f.Digest):
				return nil, wrong("no digest:", f.Digest)
			}
			last = f.Path
		}
	}
	return &Manifest{doc.Skills, folder(path)}, nil
}

// lineOfPath returns the line of the nth path in a manifest: every entry has one.
func lineOfPath(src []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		next := bytes.Index(src[at:], []byte(`"path"`))
		if next < 0 {
			break
		}
		at += next + 1
	}
	return 1 + bytes.Count(src[:at], []byte("\n"))
}

var digests = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// cleanPath is a clean path inside a folder, "" for any other.
func cleanPath(name string) string {
	if clean := path.Clean(name); fs.ValidPath(clean) && clean != "." {
		return clean
	}
	return ""
}

// folder is the folder of a file, absolute with links resolved where they can be.
func folder(file string) string {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return filepath.Dir(file)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// key is how a manifest in a folder names a skill: absolute on another disk.
func (s Skill) key(dir string) string {
	real := s.real
	if rel, err := filepath.Rel(dir, real); err == nil {
		real = rel
	}
	return strings.ToValidUTF8(filepath.ToSlash(real), "\uFFFD")
}

// Compare returns the skills that are not as the manifest has them, sorted by path.
// A skill of the manifest that is not among them is removed if its folder has no
// skill any more, and named as seen from the folder work; others were not asked for.
func (m *Manifest) Compare(work string, skills []Skill) []Change {
	old := map[string]Skill{}
	for _, s := range m.Skills {
		old[s.Path] = s
	}
	var out []Change
	for _, s := range skills {
		before, known := old[s.key(m.dir)]
		delete(old, s.key(m.dir))
		c := Change{Skill: s, State: Changed, Changes: compareFiles(before.Files, s.Files)}
		if !known {
			c.State = Added
		}
		if !known || len(c.Changes) > 0 {
			out = append(out, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		dir := filepath.FromSlash(key)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(m.dir, dir)
		}
		if _, err := os.Lstat(filepath.Join(dir, "SKILL.md")); errors.Is(err, fs.ErrNotExist) {
			s := old[key]
			s.Path = relative(work, dir)
			out = append(out, Change{Skill: s, State: Removed})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return strings.Compare(filepath.ToSlash(a.Path), filepath.ToSlash(b.Path)) })
	return out
}

// compareFiles compares two sorted lists of files.
func compareFiles(old, now []File) (out []FileChange) {
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].Path < now[0].Path:
			out = append(out, FileChange{old[0].Path, Removed, []facts.Fact{}})
			old = old[1:]
		case len(old) == 0 || now[0].Path < old[0].Path:
			out = append(out, FileChange{now[0].Path, Added, append([]facts.Fact{}, now[0].Facts...)})
			now = now[1:]
		default:
			if a, b := old[0], now[0]; a.Digest != b.Digest || a.Link != b.Link || b.problem != "" {
				added := slices.DeleteFunc(slices.Clone(b.Facts), func(f facts.Fact) bool {
					return slices.ContainsFunc(a.Facts, func(o facts.Fact) bool { return o.Kind == f.Kind && o.Text == f.Text && o.More >= f.More })
				})
				out = append(out, FileChange{b.Path, Changed, append([]facts.Fact{}, added...)})
			}
			old, now = old[1:], now[1:]
		}
	}
	return out
}

// sum is the digest of content.
func sum(content []byte) string {
	s := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(s[:])
}

// relative is a path seen from a folder, or the path itself.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return cmp.Or(path, dir)
}
