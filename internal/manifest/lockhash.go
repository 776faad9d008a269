package manifest

import (
	"bytes"
	"cmp"
	"crypto/sha1" // git names trees by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/safefile"
)

// maxLocked is how many bytes of a locked skill are read.
const maxLocked = 128 << 20

// lockedFile is a file as a digest of the installer counts it.
type lockedFile struct {
	name       string
	content    []byte
	executable bool
}

// readLocked reads what the installer counts: regular files outside of .git and
// node_modules. why says what keeps the digest from being computed.
func readLocked(dir string) (files []lockedFile, why string) {
	listed, gaps := loader.AllFiles(dir)
	root, err := safefile.OpenFolder(dir)
	if err != nil || len(gaps) > 0 {
		return nil, "not all of it can be read"
	}
	defer root.Close()
	left := int64(maxLocked)
	for _, f := range listed {
		if !f.Mode.IsRegular() || slices.Contains(strings.Split(path.Dir(f.Name), "/"), "node_modules") {
			continue
		}
		var content bytes.Buffer
		if err := safefile.Copy(&content, root, f.Name, left); err != nil {
			return nil, f.Name + " cannot be read: " + err.Error()
		}
		left -= int64(content.Len())
		files = append(files, lockedFile{f.Name, content.Bytes(), f.Mode&0o111 != 0})
	}
	return files, ""
}

// variant is a form in which the files may have been locked.
type variant struct {
	files []lockedFile
	state State
	note  string
}

// variants are the forms in which unchanged files may have been locked: with other
// line endings, because git converts them, and without what was added after the
// installation, which installs neither metadata.json nor bytecode.
func variants(files []lockedFile) []variant {
	installed := slices.DeleteFunc(slices.Clone(files), func(f lockedFile) bool {
		return path.Base(f.name) == "metadata.json" || slices.ContainsFunc(strings.Split(path.Dir(f.name), "/"), func(part string) bool { return part == "__pycache__" || part == "__pypackages__" })
	})
	var out []variant
	for _, files := range [][]lockedFile{files, installed} {
		lf, crlf := slices.Clone(files), slices.Clone(files)
		for i, f := range files {
			if bytes.IndexByte(f.content[:min(len(f.content), 8000)], 0) < 0 { // as git tells text
				lf[i].content = bytes.ReplaceAll(f.content, []byte("\r\n"), []byte("\n"))
				crlf[i].content = bytes.ReplaceAll(lf[i].content, []byte("\n"), []byte("\r\n"))
			}
		}
		out = append(out, variant{files, "", ""},
			variant{lf, LineEndings, "the same but for line endings: LF in " + LockFile},
			variant{crlf, LineEndings, "the same but for line endings: CR LF in " + LockFile})
	}
	return out
}

// folderHash is the installer's digest of a folder: SHA-256 over the names, with
// slashes, and contents of the files, with nothing between them, in the order of
// JavaScript's localeCompare.
func folderHash(files []lockedFile) string {
	files = slices.SortedFunc(slices.Values(files), func(a, b lockedFile) int { return compareNames(a.name, b.name) })
	h := sha256.New()
	for _, f := range files {
		h.Write([]byte(f.name))
		h.Write(f.content)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// alphabet is the order of ASCII in the root collation of Unicode, which
// localeCompare uses: letters first without regard to case, then small before
// capital.
const alphabet = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

// sorted reports whether the place of a name is the same on machines of nearly every
// language.
func sorted(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(alphabet, r) })
}

// compareNames orders names as localeCompare does.
func compareNames(a, b string) int {
	return cmp.Or(compareIn(strings.ToLower(a), strings.ToLower(b)), compareIn(a, b))
}

func compareIn(a, b string) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Compare(strings.IndexByte(alphabet, a[i]), strings.IndexByte(alphabet, b[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// treeHash is the name that git gives a folder with these files.
func treeHash(files []lockedFile) string {
	type entry struct{ sortKey, mode, name, sum string }
	var entries []entry
	below := map[string][]lockedFile{}
	for _, f := range files {
		if dir, rest, found := strings.Cut(f.name, "/"); found {
			below[dir] = append(below[dir], lockedFile{rest, f.content, f.executable})
			continue
		}
		mode := "100644"
		if f.executable {
			mode = "100755"
		}
		entries = append(entries, entry{f.name, mode, f.name, gitObject("blob", f.content)})
	}
	for dir, files := range below {
		entries = append(entries, entry{dir + "/", "40000", dir, treeHash(files)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.sortKey, b.sortKey) })
	var tree bytes.Buffer
	for _, e := range entries {
		raw, _ := hex.DecodeString(e.sum) // made above
		fmt.Fprintf(&tree, "%s %s\x00%s", e.mode, e.name, raw)
	}
	return gitObject("tree", tree.Bytes())
}

func gitObject(kind string, content []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
