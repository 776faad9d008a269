package audit

// An audit records every file of every skill with its digest and its facts. It reads the
// files itself and far beyond the limits of rules, because what it leaves out could be
// what somebody hides.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"skills/internal/files"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/spec"
)

// Options configures an audit. Only Dir and Notify are required.
type Options struct {
	Dir    string   // working directory, absolute
	Home   string   // the home folder, whose lock files count for skills in it; may be ""
	Paths  []string // as for a check; the default is the working directory
	Since  string   // keep only changes since this manifest
	Write  string   // record the skills in this file
	Notify loader.Notify
}

// Run reads skills, and compares them with a manifest and with the lock files of the
// project. read is the number of skills before the comparison. Errors are
// *fault.Error, those of [lint.Find], and the context's.
func Run(ctx context.Context, o Options) (result Manifest, read int, err error) {
	old := Manifest{}
	if o.Since != "" {
		old, err = load(o.Since)
		if err != nil {
			return old, 0, err
		}
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	found, err := lint.Find(ctx, loader.Search{Nested: true, Notify: o.Notify}, paths)
	if err != nil {
		return old, 0, err
	}
	const slash = string(filepath.Separator)
	place := func(f loader.Found) string { return files.Absolute(o.Dir, f.Dir) + slash } // where the search has come to it
	places := map[string]string{}
	for _, f := range found {
		places[place(f)] = f.Real + slash
	}
	found = slices.DeleteFunc(found, func(f loader.Found) bool { // reported by a notice
		return f.File == "" || throughLink(places, place(f), f.Real+slash)
	})
	result = Manifest{SchemaVersion: version, Skills: make([]Skill, len(found))}
	err = loader.Parallel(ctx, len(found), func(i int) { result.Skills[i] = take(ctx, found, i, o.Since, o.Write) })
	if err == nil {
		result.Locks, err = o.compareLocks(found)
		if i := slices.IndexFunc(result.Locks, func(l Lock) bool { return filepath.Base(l.Path) == "skills-lock.json" }); i >= 0 {
			result.Lock = &result.Locks[i]
		}
	}
	if err == nil && o.Write != "" {
		err = result.write(ctx, o.Write)
	}
	if err == nil && o.Since != "" {
		result.Skills = old.since(folder(o.Since), files.Resolved(o.Dir), result.Skills)
	}
	return result, len(found), err
}

// throughLink reports whether a link inside a skill leads to another one at a place. The
// link is a fact of that skill; what is behind it is not part of it.
func throughLink(skills map[string]string, place, real string) bool {
	const slash = string(filepath.Separator)
	for above := place; len(above) > 1; {
		above = above[:strings.LastIndex(strings.TrimSuffix(above, slash), slash)+1]
		if outer, ok := skills[above]; ok && !strings.HasPrefix(real, outer) {
			return true
		}
	}
	return false
}

// Limits for reading one file, and all files of a skill.
const (
	maxRead  = 256 << 20
	maxTotal = 1 << 30
)

// take reads the skill at an index, without nested skills, which are separate, and
// without manifests.
func take(ctx context.Context, found []loader.Found, at int, manifests ...string) Skill {
	own := found[at]
	s := Skill{Path: own.Dir, Name: filepath.Base(own.Real), Files: []File{}, real: own.Real}
	var omit []string // folders end with a separator
	for _, other := range found {
		if strings.HasPrefix(other.Real, own.Real+string(filepath.Separator)) {
			omit = append(omit, other.Real+string(filepath.Separator))
		}
	}
	for _, name := range manifests {
		omit = append(omit, filepath.Join(folder(name), filepath.Base(name)))
	}
	listed, unlisted := loader.AllFiles(own.Real)
	for _, u := range unlisted {
		s.Files = append(s.Files, File{Path: cleanName(u.Name), Facts: []Fact{{Kind: "unread", Text: u.Reason}}})
	}
	search := NewSearcher(func(name string) bool {
		_, ok := slices.BinarySearchFunc(listed, name, func(f spec.File, name string) int { return strings.Compare(f.Name, name) })
		return ok
	})
	root, err := files.OpenFolder(own.Real)
	if err != nil {
		s.Files = append(s.Files, File{Path: ".", Facts: []Fact{{Kind: "unread", Text: "cannot be read: " + files.Reason(err).Error()}}})
		return s
	}
	defer root.Close()
	left := int64(maxTotal)
	for _, entry := range listed {
		full := filepath.Join(own.Real, filepath.FromSlash(entry.Name))
		if entry.Mode.IsDir() || ctx.Err() != nil || slices.ContainsFunc(omit, func(o string) bool { return full == o || strings.HasPrefix(full, o) && os.IsPathSeparator(o[len(o)-1]) }) {
			continue
		}
		f, start := readFile(root, entry, &left, search)
		if entry.Name == own.File {
			if name := loader.ParseDocument("", "", start).Text("name"); name != "" {
				s.Name = name
			}
		}
		s.Files = append(s.Files, f)
	}
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// cleanName returns a name for JSON: escaped if it is not UTF-8.
func cleanName(name string) string {
	if utf8.ValidString(name) {
		return filepath.ToSlash(filepath.Join(".", name))
	}
	return strings.Trim(strconv.Quote(name), `"`)
}

// readFile returns the record of a file, and its start.
func readFile(root *os.Root, entry spec.File, left *int64, search *Searcher) (File, []byte) {
	f := File{Path: cleanName(entry.Name), Size: entry.Size, Fixture: spec.IsTest(entry.Name), Facts: []Fact{}}
	add := func(kind, text string) { f.Facts = append(f.Facts, Fact{Kind: kind, Text: text}) }
	if entry.Link != "" {
		f.Link, f.Size = strings.ToValidUTF8(entry.Link, "\uFFFD"), 0
		if entry.Outside {
			add("link", "leads to "+f.Link)
		}
		return f, nil
	}
	if !entry.Mode.IsRegular() {
		add("special-file", "is "+spec.KindName(entry.Mode))
		return f, nil
	}
	hash, start := sha256.New(), &beginning{}
	if err := files.Copy(io.MultiWriter(hash, start), root, entry.Name, min(maxRead, *left)); err != nil {
		add("unread", "cannot be read: "+err.Error()+", "+spec.FormatSize(entry.Size))
		return f, nil
	}
	*left -= entry.Size
	f.Digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	f.Facts = append(f.Facts, search.Find(entry.Name, start.kept.Bytes(), entry.Size)...)
	return f, start.kept.Bytes()
}

// beginning keeps the part of a file that is searched.
type beginning struct{ kept bytes.Buffer }

// Write implements [io.Writer].
func (b *beginning) Write(p []byte) (int, error) {
	b.kept.Write(p[:min(len(p), MaxSearched-b.kept.Len())])
	return len(p), nil
}
