package audit

// Installers write a lock file with a digest for each skill, which nothing checks later. It
// is compared here with what is installed. Their ways to compute a digest differ, so an
// unequal digest is a change only where the way is known. The formats are in lockformats.go.

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lazyregexp"
	"skills/internal/loader"
)

// The states of a skill compared with a lock file, in addition to Changed.
const (
	Missing     State = "missing"      // locked, but not installed
	Extra       State = "extra"        // next to locked skills, but not locked
	Unpinned    State = "unpinned"     // locked without a digest or a commit
	CommitOnly  State = "commit-only"  // locked to a version, which cannot be compared with files
	LineEndings State = "line-endings" // equal except for line ends
	Differs     State = "differs"      // has another digest, but may be unchanged
	Unverified  State = "cannot-tell"  // the digest cannot be verified
	Conflict    State = "conflict"     // the lock file has merge conflicts
)

// Lock is the comparison with a lock file.
type Lock struct {
	Path   string   `json:"path"`
	Note   string   `json:"note,omitempty"` // what was not checked
	Skills []Locked `json:"skills"`         // those that differ from the lock file, sorted by name
}

// Locked is a skill that differs from the lock file.
type Locked struct {
	Name  string       `json:"name"`
	Path  string       `json:"path,omitempty"` // "" for a missing skill
	State State        `json:"state"`
	Note  string       `json:"note"`
	Files []LockedFile `json:"files,omitempty"` // that differ, where the lock file has a digest of each
}

// LockedFile is a file that differs from its digest in a lock file.
type LockedFile struct {
	Path  string `json:"path"`
	State State  `json:"state"` // Changed, Removed, Added or Unverified
}

// Differs reports whether something differs from the manifest or a lock file. A skill
// without a digest, or with other line ends, does not count.
func (m Manifest) Differs() bool {
	return slices.ContainsFunc(m.Skills, func(s Skill) bool { return s.State != "" }) ||
		slices.ContainsFunc(m.Locks, func(l Lock) bool { return slices.ContainsFunc(l.Skills, Locked.differs) })
}

func (l Locked) differs() bool {
	return !slices.Contains([]State{Unpinned, LineEndings, CommitOnly}, l.State)
}

var (
	notInFolder = lazyregexp.New(`[^a-z0-9._]+`)
	// installPath matches the installers' folders of skills, relative to the lock file.
	installPath = lazyregexp.New(`^(?:\.[^/]+/(?:[^/]+/)?)?skills/[^/]+$`)
)

// folderName returns an installer's folder name for a skill.
func folderName(name string) string {
	name = strings.Trim(notInFolder().ReplaceAllString(strings.ToLower(name), "-"), ".-")
	return cmp.Or(name[:min(len(name), 255)], "unnamed-skill")
}

// compareLocks compares installed skills with the lock files of the project, and with that
// of the home folder if skills there are audited. If the whole project is audited, it also
// finds skills that the search omitted because git ignores them.
func (o Options) compareLocks(found []loader.Found) ([]Lock, error) {
	var locks []*lockRun
	locked := map[string]bool{} // folder names that any lock file has
	for _, place := range o.lockPlaces(found) {
		l, err := o.openLock(place)
		if err != nil {
			return nil, err
		}
		locks = append(locks, l)
		for _, e := range l.entries {
			locked[folderName(e.name)] = true
		}
	}
	var out []Lock
	for _, l := range locks {
		l.compare(o, found, locked)
		slices.SortStableFunc(l.out.Skills, func(a, b Locked) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
		out = append(out, l.out)
	}
	return out, nil
}

// lockRun is a comparison with one lock file.
type lockRun struct {
	lockFile
	work    string // the working folder
	dir     string // the project's folder
	entries []lockEntry
	out     Lock
}

// openLock reads a lock file. A merge conflict is a difference; both sides are read.
func (o Options) openLock(place lockPlace) (*lockRun, error) {
	work := files.Resolved(o.Dir)
	l := &lockRun{lockFile: place.lockFile, work: work, dir: place.dir, out: Lock{Skills: []Locked{}}}
	path := filepath.Join(place.dir, filepath.FromSlash(place.path))
	l.out.Path = relative(work, path)
	var lines []int
	var err error
	l.entries, lines, err = place.load(path)
	if err != nil {
		if named := (*fault.Error)(nil); errors.As(err, &named) {
			named.Path = l.out.Path
		}
		return nil, err
	}
	if len(lines) > 0 {
		l.add(Locked{Name: place.path, Path: l.out.Path, State: Conflict, Note: "merge conflict markers in " + lineList(lines) + "; both sides were read"})
	}
	if signed := slices.IndexFunc(l.entries, func(e lockEntry) bool { return e.signed }); signed >= 0 {
		l.out.Note = "digests are compared; the signatures of entries with a provenance (Sigstore) are not verified"
	}
	return l, nil
}

func (l *lockRun) add(x Locked) { l.out.Skills = append(l.out.Skills, x) }

// compare compares the entries with installed skills. locked holds the folder names of the
// skills in all lock files.
func (l *lockRun) compare(o Options, found []loader.Found, locked map[string]bool) {
	have := installed{dir: l.dir, folders: map[string][]string{}}
	for _, f := range found {
		have.add(f.Real)
	}
	all := len(o.Paths) == 0 || slices.ContainsFunc(o.Paths, func(p string) bool { return folder(filepath.Join(p, "x")) == l.dir })
	places := map[string]bool{} // folders with locked skills
	for _, e := range l.entries {
		if e.atRoot {
			l.compareFiles(e, all, have)
			continue
		}
		base := folderName(e.name)
		if all {
			have.find(base)
		}
		if len(have.folders[base]) == 0 && all {
			l.add(Locked{Name: e.name, State: Missing, Note: "it is in " + l.name() + ", and not installed"})
		}
		for _, real := range have.copies(base) {
			places[filepath.Dir(real)] = true
			x := e.check(real, l.name())
			if x.State != "" {
				x.Name, x.Path = e.name, relative(l.work, real)
				l.add(x)
			}
		}
	}
	if !l.complete {
		return
	}
	for _, base := range slices.Sorted(maps.Keys(have.folders)) {
		for _, real := range have.folders[base] {
			if places[filepath.Dir(real)] && !locked[base] {
				l.add(Locked{Name: base, Path: relative(l.work, real), State: Extra, Note: "it is next to locked skills, but not in " + l.name()})
			}
		}
	}
}

// name returns the name of the lock file for messages.
func (f lockFile) name() string { return f.path[strings.LastIndexByte(f.path, '/')+1:] }

// lockPlace is a lock file that exists.
type lockPlace struct {
	lockFile
	dir string // the folder that its path is relative to
}

// lockPlaces returns the lock files that are compared: of each format the nearest one, from
// the working folder up to the root of its repository, and those of the home folder if a
// skill in it is audited.
func (o Options) lockPlaces(found []loader.Found) (out []lockPlace) {
	work := files.Resolved(o.Dir)
	top := work
	if repository, ok := loader.Repository(work); ok {
		top = repository
	}
	exists := func(dir, path string) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		return err == nil
	}
	home := ""
	if o.Home != "" {
		home = files.Resolved(o.Home)
	}
	atHome := home != "" && slices.ContainsFunc(found, func(f loader.Found) bool {
		return installPath().MatchString(filepath.ToSlash(relative(home, f.Real)))
	})
	for _, format := range lockFiles() {
		at := ""
		for dir := work; ; dir = filepath.Dir(dir) {
			if exists(dir, format.path) {
				at = dir
				out = append(out, lockPlace{format, dir})
			}
			if at != "" || dir == top || dir == filepath.Dir(dir) {
				break
			}
		}
		if atHome && at != home && exists(home, format.path) {
			out = append(out, lockPlace{format, home})
		}
	}
	return out
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

// find adds the folders of a skill in the folders of clients, which begin with a dot, and in
// skills.
func (i installed) find(name string) {
	places := []string{""}
	entries, _ := os.ReadDir(i.dir)
	for _, e := range entries[:min(len(entries), 4000)] {
		if strings.HasPrefix(e.Name(), ".") && e.Name() != ".git" {
			places = append(places, e.Name())
		}
	}
	for _, place := range places {
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
