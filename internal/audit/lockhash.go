package audit

import (
	"bytes"
	"cmp"
	"crypto/sha1" // the digest that git uses for trees
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/loader"
)

// lockedFile is a file that is part of the installer's digest.
type lockedFile struct {
	name       string
	content    []byte
	executable bool
}

// readLocked reads the files of the installer's digest: regular files outside of .git
// and node_modules, at most 32 MiB.
func readLocked(dir string) (list []lockedFile, err error) {
	listed, unlisted := loader.AllFiles(dir)
	root, err := files.OpenFolder(dir)
	if err != nil || len(unlisted) > 0 {
		return nil, errors.New("not all of it can be read")
	}
	defer root.Close()
	left := int64(32 << 20)
	for _, f := range listed {
		if !f.Mode.IsRegular() || slices.Contains(strings.Split(path.Dir(f.Name), "/"), "node_modules") {
			continue
		}
		var content bytes.Buffer
		if err := files.Copy(&content, root, f.Name, left); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", f.Name, err)
		}
		left -= int64(content.Len())
		list = append(list, lockedFile{f.Name, content.Bytes(), f.Mode&0o111 != 0})
	}
	return list, nil
}

// variants returns the forms in which unchanged files may have been locked: unchanged,
// with LF and with CR LF, because git converts line ends; then the same without
// metadata.json and bytecode, which were added after the installation.
func variants(files []lockedFile) (out [][]lockedFile) {
	installed := slices.DeleteFunc(slices.Clone(files), func(f lockedFile) bool {
		return path.Base(f.name) == "metadata.json" || strings.Contains("/"+f.name, "/__pycache__/") || strings.Contains("/"+f.name, "/__pypackages__/")
	})
	for _, files := range [][]lockedFile{files, installed} {
		lf, crlf := slices.Clone(files), slices.Clone(files)
		for i, f := range files {
			if bytes.IndexByte(f.content[:min(len(f.content), 8000)], 0) < 0 { // git's test for text files
				lf[i].content = bytes.ReplaceAll(f.content, []byte("\r\n"), []byte("\n"))
				crlf[i].content = bytes.ReplaceAll(lf[i].content, []byte("\n"), []byte("\r\n"))
			}
		}
		out = append(out, files, lf, crlf)
	}
	return out
}

// folderHash returns the digest of version 1: SHA-256 of the names, with slashes, and
// contents of the files, without separators, in the order of localeCompare.
func folderHash(files []lockedFile) string {
	h := sha256.New()
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b lockedFile) int { return compareNames(a.name, b.name) }) {
		h.Write([]byte(f.name))
		h.Write(f.content)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// alphabet is the order of ASCII in the root collation of Unicode, used by JavaScript's
// localeCompare: first ignoring case, then lower-case letters before capitals.
const alphabet = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

// compareNames compares names like localeCompare.
func compareNames(a, b string) int {
	order := func(a, b string) int {
		return slices.CompareFunc([]byte(a), []byte(b), func(x, y byte) int {
			return cmp.Compare(strings.IndexByte(alphabet, x), strings.IndexByte(alphabet, y))
		})
	}
	return cmp.Or(order(strings.ToLower(a), strings.ToLower(b)), order(a, b))
}

// treeHash returns the digest of version 3: git's object name for a folder with these
// files.
func treeHash(files []lockedFile) string {
	object := func(kind string, content []byte) string {
		sum := sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content))
		return string(sum[:])
	}
	entries, below := map[string]string{}, map[string][]lockedFile{} // entries by git's sort key
	for _, f := range files {
		mode := "100644 "
		if f.executable {
			mode = "100755 "
		}
		if dir, rest, found := strings.Cut(f.name, "/"); found {
			below[dir] = append(below[dir], lockedFile{rest, f.content, f.executable})
		} else {
			entries[f.name] = mode + f.name + "\x00" + object("blob", f.content)
		}
	}
	for dir, files := range below {
		sum, _ := hex.DecodeString(treeHash(files)) // encoded below
		entries[dir+"/"] = "40000 " + dir + "\x00" + string(sum)
	}
	var tree []byte
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		tree = append(tree, entries[name]...)
	}
	return hex.EncodeToString([]byte(object("tree", tree)))
}
