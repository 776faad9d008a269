package audit

// Each kind of digest is computed as its installer does.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/files"
	"skills/internal/printable"
)

// maxLocked is the largest file that is compared by its own digest.
const maxLocked = 32 << 20

// check compares a folder with its entry; the state is "" if they are equal.
func (e lockEntry) check(dir, lock string) Locked {
	switch {
	case e.unpinned != "":
		return Locked{State: Unpinned, Note: lock + " " + e.unpinned}
	case e.vercel != nil:
		state, note := e.vercel.check(dir, lock)
		return Locked{State: state, Note: note}
	case e.files != nil:
		return e.checkFiles(dir, lock)
	}
	list, err := readLocked(dir)
	switch {
	case e.content == "" && !e.origin:
		return Locked{State: CommitOnly, Note: "locked to " + printable.Line(e.version) + "; " + lock + " has no digest of its files"}
	case err != nil:
		return Locked{State: Unverified, Note: err.Error()}
	case e.origin:
		return e.checkOrigin(list, lock)
	case !strings.HasPrefix(e.content, "sha256:"):
		return Locked{State: Unverified, Note: "its digest in " + lock + " has an unknown format"}
	}
	for i, variant := range variants(list)[:3] {
		if contentDigest(variant) == strings.ToLower(e.content) {
			return Locked{State: [...]State{"", LineEndings, LineEndings}[i], Note: "the same except for line endings"}
		}
	}
	return Locked{State: Changed, Note: "its files do not have the digest in " + lock}
}

// contentDigest is the digest of ToolHive: of the name and the digest of each file.
func contentDigest(list []lockedFile) string {
	list = slices.SortedFunc(slices.Values(list), func(a, b lockedFile) int { return strings.Compare(a.name, b.name) })
	h := sha256.New()
	for _, f := range list {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(h, "%s\x00%s\n", f.name, sum[:])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// checkOrigin compares a skill with the digest that ClawHub leaves in its folder. It is of
// text files only; which these are depends on the release.
func (e lockEntry) checkOrigin(list []lockedFile, lock string) Locked {
	var origin struct{ InstalledVersion, Fingerprint string }
	for _, f := range list {
		if f.name == ".clawhub/origin.json" {
			_ = json.Unmarshal(f.content, &origin)
		}
	}
	switch {
	case origin.InstalledVersion != "" && origin.InstalledVersion != e.version:
		return Locked{State: Changed, Note: fmt.Sprintf("version %s is installed, and %s is in %s", printable.Line(origin.InstalledVersion), printable.Line(e.version), lock)}
	case origin.Fingerprint == "":
		return Locked{State: CommitOnly, Note: "locked to version " + printable.Line(e.version) + "; neither " + lock + " nor the skill has a digest of its files"}
	}
	plain := slices.DeleteFunc(list, func(f lockedFile) bool {
		hidden := slices.ContainsFunc(strings.Split(f.name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
		return hidden || bytes.IndexByte(f.content, 0) >= 0
	})
	for i, variant := range variants(plain)[:3] {
		if fingerprint(variant) == strings.ToLower(origin.Fingerprint) {
			return Locked{State: [...]State{"", LineEndings, LineEndings}[i], Note: "the same except for line endings"}
		}
	}
	return Locked{State: Differs, Note: "its files do not have the digest in its .clawhub/origin.json; they were changed, or have files that ClawHub does not count"}
}

// fingerprint is the digest of ClawHub.
func fingerprint(list []lockedFile) string {
	var lines []string
	for _, f := range slices.SortedFunc(slices.Values(list), func(a, b lockedFile) int { return compareNames(a.name, b.name) }) {
		lines = append(lines, fmt.Sprintf("%s:%x", f.name, sha256.Sum256(f.content)))
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, "\n"))))
}

// checkFiles compares each file of a skill with its digest.
func (e lockEntry) checkFiles(dir, lock string) Locked {
	differ, endings := e.differing(dir)
	list, err := readLocked(dir)
	if err != nil {
		return Locked{State: Unverified, Note: err.Error()}
	}
	for _, f := range list {
		if _, ok := e.files[f.name]; !ok {
			differ = append(differ, LockedFile{cleanName(f.name), Added})
		}
	}
	return differing(differ, endings, lock)
}

// differing returns the result for the files that differ.
func differing(differ []LockedFile, endings int, lock string) Locked {
	slices.SortFunc(differ, func(a, b LockedFile) int { return strings.Compare(a.Path, b.Path) })
	switch {
	case len(differ) > 0:
		return Locked{State: Changed, Files: differ, Note: differText(len(differ)) + " from " + lock}
	case endings > 0:
		return Locked{State: LineEndings, Note: "the same except for line endings"}
	}
	return Locked{}
}

func differText(n int) string {
	if n == 1 {
		return "1 file differs"
	}
	return printable.Plural(n, "file") + " differ"
}

// differing compares the files of an entry below a folder. endings is the number of files
// that are equal except for line ends.
func (e lockEntry) differing(dir string) (differ []LockedFile, endings int) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return []LockedFile{{".", Unverified}}, 0
	}
	defer root.Close()
	for _, name := range e.paths() {
		add := func(state State) { differ = append(differ, LockedFile{cleanName(name), state}) }
		want, ok := strings.CutPrefix(strings.ToLower(e.files[name]), "sha256:")
		if !filepath.IsLocal(filepath.FromSlash(name)) || !ok {
			add(Unverified)
			continue
		}
		var content bytes.Buffer
		err := files.Copy(&content, root, name, maxLocked)
		switch src := content.Bytes(); {
		case errors.Is(err, fs.ErrNotExist):
			add(Removed)
		case err != nil:
			add(Unverified)
		case sum(src) == want:
		case sameText(src, want):
			if !e.text {
				endings++
			}
		default:
			add(Changed)
		}
	}
	return differ, endings
}

func sum(src []byte) string { return fmt.Sprintf("%x", sha256.Sum256(src)) }

// sameText reports whether a text has a digest with other line ends.
func sameText(src []byte, want string) bool {
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		return false
	}
	lf := bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	return sum(lf) == want || sum(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))) == want
}

// compareFiles compares an entry whose files are relative to the project: those of audited
// skills, or all of them. A difference is that of the skill whose file it is.
func (l *lockRun) compareFiles(e lockEntry, all bool, have installed) {
	if e.unpinned != "" {
		l.add(Locked{Name: e.name, State: Unpinned, Note: l.name() + " " + e.unpinned})
	}
	own := e
	if !all {
		own.files = map[string]string{}
		for name, digest := range e.files {
			if slices.ContainsFunc(have.folders[path.Base(skillOf(name))], func(real string) bool {
				return filepath.ToSlash(relative(l.dir, real)) == skillOf(name)
			}) {
				own.files[name] = digest
			}
		}
	}
	differ, endings := own.differing(l.dir)
	byFolder := map[string][]LockedFile{}
	var order []string
	for _, f := range differ {
		folder := cmp.Or(skillOf(f.Path), ".")
		if byFolder[folder] == nil {
			order = append(order, folder)
		}
		byFolder[folder] = append(byFolder[folder], f)
	}
	for _, folder := range order {
		x := differing(byFolder[folder], endings, l.name())
		x.Name, x.Path = e.name, relative(l.work, filepath.Join(l.dir, filepath.FromSlash(folder)))
		l.add(x)
	}
}

// skillOf returns the folder of the skill that a file of the project belongs to, or "".
func skillOf(name string) string {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if installPath().MatchString(dir) {
			return dir
		}
	}
	return ""
}

// check compares a folder with its entry; state is "" if they are equal.
func (e *vercelEntry) check(dir, lock string) (state State, note string) {
	other := "its files do not have the digest in " + lock
	want := strings.ToLower(cmp.Or(e.ComputedHash, e.SkillFolderHash))
	digest, broken := hex.DecodeString(want)
	hash, known := map[int]func([]lockedFile) string{32: folderHash, 20: treeHash}[len(digest)]
	files, err := readLocked(dir)
	switch {
	case !known || broken != nil:
		return Unverified, "its digest in " + lock + " has an unknown format"
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
