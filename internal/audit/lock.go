package audit

// Installers write a lock file with a digest for each skill, which nothing checks later. It
// is compared here with what is installed. Their ways to compute a digest differ, so an
// unequal digest is a change only where the way is known.

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/loader"
)

// The states of a skill compared with a lock file, in addition to Changed.
const (
	Missing     State = "missing"      // locked, but not installed
	Extra       State = "extra"        // next to locked skills, but not locked
	Unpinned    State = "unpinned"     // locked without a digest
	LineEndings State = "line-endings" // equal except for line ends
	Differs     State = "differs"      // has another digest, but may be unchanged
	Unverified  State = "cannot-tell"  // the digest cannot be verified
)

// Lock is the comparison with a lock file.
type Lock struct {
	Path   string   `json:"path"`
	Skills []Locked `json:"skills"` // those that differ from the lock file, sorted by name
}

// Locked is a skill that differs from the lock file.
type Locked struct {
	Name  string `json:"name"`
	Path  string `json:"path,omitempty"` // "" for a missing skill
	State State  `json:"state"`
	Note  string `json:"note"`
}

// Differs reports whether something differs from the manifest or the lock file. A skill
// without a digest, or with other line ends, does not count.
func (m Manifest) Differs() bool {
	return slices.ContainsFunc(m.Skills, func(s Skill) bool { return s.State != "" }) ||
		m.Lock != nil && slices.ContainsFunc(m.Lock.Skills, func(l Locked) bool { return l.State != Unpinned && l.State != LineEndings })
}

const lockFile = "skills-lock.json"

// lockEntry is a skill in a lock file.
type lockEntry struct {
	SourceType      string
	ComputedHash    string // of version 1
	SkillFolderHash string // of version 3
}

// loadLock reads a lock file. The error is a *fault.Error with the line.
func loadLock(path string) (map[string]lockEntry, error) {
	const again = "write it again with the installer"
	src, err := files.Load(path, 8<<20, again, again)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Version int
		Skills  map[string]lockEntry
	}
	if err := jsonpos.DecodeJSON(path, src, &doc, again); err != nil {
		return nil, err
	}
	switch {
	case doc.Version != 1 && doc.Version != 3:
		return nil, jsonpos.ErrorAt(path, src, bytes.Index(src, []byte(`"version"`)), fmt.Sprintf("has version %d; this program reads versions 1 and 3", doc.Version), again)
	case doc.Skills == nil:
		return nil, jsonpos.ErrorAt(path, src, bytes.Index(src, []byte(`"skills"`)), "is damaged: it has no skills", again)
	}
	return doc.Skills, nil
}

var (
	notInFolder = lazyregexp.New(`[^a-z0-9._]+`)
	// installPath matches the installer's folders of skills, relative to the lock file.
	installPath = lazyregexp.New(`^(?:\.[^/]+/(?:[^/]+/)?)?skills/[^/]+$`)
)

// folderName returns the installer's folder name for a skill.
func folderName(name string) string {
	name = strings.Trim(notInFolder().ReplaceAllString(strings.ToLower(name), "-"), ".-")
	return cmp.Or(name[:min(len(name), 255)], "unnamed-skill")
}

// compareLock compares installed skills with the project's lock file; it returns nil if
// there is none. If the whole project is audited, it also finds skills that the search
// omitted because git ignores them.
func (o Options) compareLock(found []loader.Found) (*Lock, error) {
	work := files.Resolved(o.Dir)
	dir, ok := lockFolder(work)
	if !ok {
		return nil, nil
	}
	out := &Lock{Path: relative(work, filepath.Join(dir, lockFile)), Skills: []Locked{}}
	entries, err := loadLock(filepath.Join(dir, lockFile))
	if err != nil {
		if named := (*fault.Error)(nil); errors.As(err, &named) {
			named.Path = out.Path
		}
		return nil, err
	}
	have := installed{dir: dir, folders: map[string][]string{}}
	for _, f := range found {
		have.add(f.Real)
	}
	all := len(o.Paths) == 0 || slices.ContainsFunc(o.Paths, func(p string) bool { return folder(filepath.Join(p, "x")) == dir })
	places, locked := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		base := folderName(name)
		locked[base] = true
		if all {
			have.find(base)
		}
		if len(have.folders[base]) == 0 && all {
			out.Skills = append(out.Skills, Locked{Name: name, State: Missing, Note: "it is in " + lockFile + ", and not installed"})
		}
		for _, real := range have.copies(base) {
			places[filepath.Dir(real)] = true
			if state, note := entries[name].check(real); state != "" {
				out.Skills = append(out.Skills, Locked{Name: name, Path: relative(work, real), State: state, Note: note})
			}
		}
	}
	for base, reals := range have.folders {
		for _, real := range reals {
			if places[filepath.Dir(real)] && !locked[base] {
				out.Skills = append(out.Skills, Locked{Name: base, Path: relative(work, real), State: Extra, Note: "it is next to locked skills, but not in " + lockFile})
			}
		}
	}
	slices.SortFunc(out.Skills, func(a, b Locked) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	return out, nil
}

// lockFolder returns the nearest folder with a lock file, from dir up to the root of its
// repository.
func lockFolder(dir string) (folder string, ok bool) {
	top := dir
	if repository, ok := loader.Repository(dir); ok {
		top = repository
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, lockFile)); err == nil {
			return dir, true
		}
		if dir == top || dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// installed holds the folders of installed skills, by name.
type installed struct {
	dir     string // of the lock file
	folders map[string][]string
}

// add adds a folder if it is one into which skills are installed.
func (i installed) add(real string) {
	name := filepath.Base(real)
	if installPath().MatchString(filepath.ToSlash(relative(i.dir, real))) && !slices.Contains(i.folders[name], real) {
		i.folders[name] = append(i.folders[name], real)
	}
}

// find adds the folders of a skill in the usual places.
func (i installed) find(name string) {
	for _, place := range []string{".agents", ".claude", ""} {
		if real, err := filepath.EvalSymlinks(filepath.Join(i.dir, place, "skills", name, "SKILL.md")); err == nil {
			i.add(filepath.Dir(real))
		}
	}
}

// copies returns the folders of a skill without that in skills, which has the sources of
// what is installed, unless it is the only one.
func (i installed) copies(name string) []string {
	sources := filepath.Join(i.dir, "skills")
	reals := slices.DeleteFunc(slices.Clone(i.folders[name]), func(real string) bool { return filepath.Dir(real) == sources })
	if len(reals) == 0 {
		return i.folders[name]
	}
	return reals
}

// check compares a folder with its entry; state is "" if they are equal.
func (e lockEntry) check(dir string) (state State, note string) {
	const other = "its files do not have the digest in " + lockFile
	want := strings.ToLower(cmp.Or(e.ComputedHash, e.SkillFolderHash))
	digest, broken := hex.DecodeString(want)
	hash, known := map[int]func([]lockedFile) string{32: folderHash, 20: treeHash}[len(digest)]
	files, err := readLocked(dir)
	switch {
	case want == "":
		return Unpinned, lockFile + " has no digest of it"
	case !known || broken != nil:
		return Unverified, "its digest in " + lockFile + " has an unknown format"
	case err != nil:
		return Unverified, err.Error()
	}
	for i, variant := range variants(files) {
		if hash(variant) == want {
			return [...]State{"", LineEndings, LineEndings}[i%3], "the same except for line endings"
		}
	}
	switch {
	case len(want) == 64 && slices.ContainsFunc(files, func(f lockedFile) bool {
		return strings.ContainsFunc(f.name, func(r rune) bool { return !strings.ContainsRune(alphabet, r) })
	}):
		return Unverified, other + ", but the installer sorts names beyond ASCII by the language of the machine"
	case e.SourceType == "well-known":
		return Changed, other
	}
	return Differs, other + "; they were changed, or the source has files that installation skips (metadata.json, __pycache__, links)"
}
