package manifest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/safefile"
)

// LockFile is the name of the lock file of Vercel's installer.
const LockFile = "skills-lock.json"

// The states of a skill compared with a lock file, besides Changed.
const (
	Missing     State = "missing"      // locked, and not installed
	Extra       State = "extra"        // beside locked skills, and not locked
	Unpinned    State = "unpinned"     // locked without a digest
	LineEndings State = "line-endings" // the same but for CR LF and LF
	Differs     State = "differs"      // has another digest; that it was changed is not certain
	CannotTell  State = "cannot-tell"  // the digest cannot be checked
)

// Locked is what a lock file says about a skill that is not exactly as it was locked.
type Locked struct {
	Name  string `json:"name"`
	Path  string `json:"path,omitempty"` // "" for a skill that is missing
	State State  `json:"state"`
	Note  string `json:"note"`
}

// Lock is a lock file: of a project, or of version 3 as the installer writes it for
// a user.
type Lock struct {
	Path   string
	skills map[string]lockEntry
}

// lockEntry is a locked skill.
type lockEntry struct {
	SourceType      string `json:"sourceType"`
	ComputedHash    string `json:"computedHash"`    // of a project
	SkillFolderHash string `json:"skillFolderHash"` // of version 3
}

// FindLock returns the path of the lock file in dir, or in a folder above it up to
// the root of its repository; "" if there is none.
func FindLock(dir string) string {
	top, ok := safefile.Repository(dir)
	for {
		file := filepath.Join(dir, LockFile)
		if _, err := os.Lstat(file); err == nil {
			return file
		}
		if !ok || dir == top || filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// LoadLock reads a lock file. Whatever is wrong with it is a *safefile.Error with its
// line, if it has one.
func LoadLock(path string) (*Lock, error) {
	const again = "write it again with the installer"
	src, err := safefile.Load(path, 8<<20, "check the path", "name a "+LockFile)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Version int                  `json:"version"`
		Skills  map[string]lockEntry `json:"skills"`
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		return nil, safefile.Damaged(path, src, err, again)
	}
	if doc.Version != 1 && doc.Version != 3 {
		line := 0
		if at := bytes.Index(src, []byte(`"version"`)); at >= 0 {
			line = 1 + bytes.Count(src[:at], []byte("\n"))
		}
		return nil, &safefile.Error{Path: path, Line: line, Message: fmt.Sprintf("has version %d; this program reads versions 1 and 3", doc.Version), Help: again}
	}
	return &Lock{path, doc.Skills}, nil
}

// Compare returns the skills that are not exactly as they were locked, sorted by
// name. Installed skills are found by the name of their folder, as the installer
// makes it, in the folders that it installs to; only with all are those that the
// search did not find looked for, because git may ignore them, and missing ones
// reported. display makes a path fit to show.
func (l *Lock) Compare(ctx context.Context, found []loader.Found, all bool, display func(string) string) ([]Locked, error) {
	dir := folder(l.Path)
	byName := map[string][]string{} // resolved folders by their name
	add := func(real string) {
		if name := filepath.Base(real); isInstalled(dir, real) && !slices.Contains(byName[name], real) {
			byName[name] = append(byName[name], real)
		}
	}
	for _, f := range found {
		add(f.Real)
	}
	var out []Locked
	places := map[string]bool{} // folders that hold locked skills
	locked := map[string]bool{} // names of folders
	for _, name := range slices.Sorted(maps.Keys(l.skills)) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		base := folderName(name)
		locked[base] = true
		if all {
			for _, place := range installFolders(dir) {
				if real, err := filepath.EvalSymlinks(filepath.Join(place, base, "SKILL.md")); err == nil {
					add(filepath.Dir(real))
				}
			}
			if len(byName[base]) == 0 {
				out = append(out, Locked{Name: name, State: Missing, Note: "it is in " + LockFile + ", and not installed"})
			}
		}
		for _, real := range slices.Sorted(slices.Values(byName[base])) {
			places[filepath.Dir(real)] = true
			if state, note := l.skills[name].check(real); state != "" {
				out = append(out, Locked{name, display(real), state, note})
			}
		}
	}
	for base, reals := range byName {
		for _, real := range reals {
			if places[filepath.Dir(real)] && !locked[base] {
				out = append(out, Locked{base, display(real), Extra, "it is beside locked skills, and not in " + LockFile})
			}
		}
	}
	slices.SortFunc(out, func(a, b Locked) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	return out, nil
}

var installPath = regexp.MustCompile(`^(?:\.[^/]+/(?:[^/]+/)?)?skills/[^/]+$`)

// isInstalled reports whether the installer may have put a skill where it is: in
// skills, or in the skills folder of a client, such as .agents/skills.
func isInstalled(dir, real string) bool {
	rel, err := filepath.Rel(dir, real)
	return err == nil && installPath.MatchString(filepath.ToSlash(rel))
}

// installFolders are the folders that the installer may have used.
func installFolders(dir string) []string {
	out := []string{filepath.Join(dir, "skills")}
	entries, _ := os.ReadDir(dir) // of what cannot be read, nothing is installed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			out = append(out, filepath.Join(dir, e.Name(), "skills"))
		}
	}
	return out
}

var notInFolderName = regexp.MustCompile(`[^a-z0-9._]+`)

// folderName is the folder that the installer makes for a skill of a name.
func folderName(name string) string {
	name = strings.Trim(notInFolderName.ReplaceAllString(strings.ToLower(name), "-"), ".-")
	return cmp.Or(name[:min(len(name), 255)], "unnamed-skill")
}

// check compares a folder with its entry; state is "" if they agree.
func (e lockEntry) check(dir string) (state State, note string) {
	want := strings.ToLower(cmp.Or(e.ComputedHash, e.SkillFolderHash))
	if want == "" {
		return Unpinned, LockFile + " has no digest of it"
	}
	hash, ok := map[int]func([]lockedFile) string{64: folderHash, 40: treeHash}[len(want)]
	if !ok {
		return CannotTell, "its digest in " + LockFile + " is of no known kind"
	}
	files, why := readLocked(dir)
	if why != "" {
		return CannotTell, why
	}
	for _, variant := range variants(files) {
		if hash(variant.files) == want {
			return variant.state, variant.note
		}
	}
	switch {
	case len(want) == 64 && slices.ContainsFunc(files, func(f lockedFile) bool { return !sorted(f.name) }):
		return CannotTell, "it has another digest, but the installer sorts names with letters beyond ASCII by the language of the machine"
	case e.SourceType == "well-known":
		return Changed, "its files do not have the digest in " + LockFile
	}
	return Differs, "its files do not have the digest in " + LockFile + "; they were changed, or the source has files that installation leaves out (metadata.json, __pycache__, links)"
}
