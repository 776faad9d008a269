package manifest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"skills/internal/facts"
	"skills/internal/loader"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// How much is read: of one file, and of all files of a skill.
const (
	maxRead  = 256 << 20
	maxTotal = 1 << 30
)

// Take reads every file of the skills, in parallel. Files of a skill inside another
// one belong to the inner one; those of except, such as the manifest itself, to none.
// What cannot be read is a fact of its file. The error is the context's.
func Take(ctx context.Context, found []loader.Found, except ...string) ([]Skill, error) {
	for i, name := range except {
		except[i] = filepath.Join(folder(name), filepath.Base(name))
	}
	skills := make([]Skill, len(found))
	err := loader.Parallel(ctx, len(found), func(i int) {
		var omit []string // with a separator at the end for folders
		for _, other := range found {
			if other.Real != found[i].Real && strings.HasPrefix(other.Real, found[i].Real+string(filepath.Separator)) {
				omit = append(omit, other.Real+string(filepath.Separator))
			}
		}
		skills[i] = take(ctx, found[i], append(omit, except...))
	})
	return skills, err
}

// take reads one skill, without the paths in omit.
func take(ctx context.Context, found loader.Found, omit []string) Skill {
	s := Skill{Path: found.Dir, Name: filepath.Base(found.Real), real: found.Real, Files: []File{}}
	listed, gaps := loader.AllFiles(found.Real)
	for _, g := range gaps {
		s.Files = append(s.Files, unread(cleanName(g.Name), g.Reason))
	}
	root, err := safefile.OpenFolder(found.Real)
	if err != nil {
		s.Files = append(s.Files, unread(".", "cannot be read: "+safefile.Reason(err).Error()))
		return s
	}
	defer root.Close()
	exists := func(name string) bool {
		_, ok := slices.BinarySearchFunc(listed, name, func(f spec.File, name string) int { return strings.Compare(f.Name, name) })
		return ok
	}
	left := int64(maxTotal)
	for _, entry := range listed {
		full := filepath.Join(found.Real, filepath.FromSlash(entry.Name))
		if entry.Mode.IsDir() || ctx.Err() != nil || slices.ContainsFunc(omit, func(o string) bool {
			return full == o || strings.HasSuffix(o, string(filepath.Separator)) && strings.HasPrefix(full, o)
		}) {
			continue
		}
		f, start := read(root, entry, &left, exists)
		if entry.Name == found.File {
			doc := loader.ParseDocument("", "", start)
			if name := doc.Text("name"); name != "" {
				s.Name = name
			}
		}
		s.Files = append(s.Files, f)
	}
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// unread is a file or folder without a digest.
func unread(name, why string) File {
	return File{Path: name, Facts: []facts.Fact{facts.Unread(why)}, problem: why}
}

// cleanName is a name that JSON can hold: escaped where it is not UTF-8.
func cleanName(name string) string {
	switch {
	case name == "":
		return "."
	case utf8.ValidString(name):
		return name
	}
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}

// read returns the record of a file, and its beginning.
func read(root *os.Root, entry spec.File, left *int64, exists func(string) bool) (File, []byte) {
	f := File{Path: cleanName(entry.Name), Size: entry.Size}
	switch {
	case entry.Link != "":
		f.Link, f.Size = strings.ToValidUTF8(entry.Link, "\uFFFD"), 0
		if entry.Outside {
			f.Facts = []facts.Fact{facts.Link(f.Link)}
		}
		return f, nil
	case !entry.Mode.IsRegular():
		f.problem, f.Facts = "is "+spec.KindName(entry.Mode), []facts.Fact{facts.Special(spec.KindName(entry.Mode))}
		return f, nil
	}
	hash := sha256.New()
	start := &beginning{}
	err := safefile.Copy(io.MultiWriter(hash, start), root, entry.Name, min(maxRead, *left))
	*left -= entry.Size
	switch {
	case errors.Is(err, safefile.ErrTooLarge):
		return unread(f.Path, "is too large to be read: "+spec.FormatSize(entry.Size)), nil
	case err != nil:
		return unread(f.Path, "cannot be read: "+err.Error()), nil
	}
	f.Digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	f.Facts = facts.Find(entry.Name, start.kept.Bytes(), entry.Size, exists)
	return f, start.kept.Bytes()
}

// beginning keeps the part of a file that is searched.
type beginning struct{ kept bytes.Buffer }

// Write implements [io.Writer].
func (b *beginning) Write(p []byte) (int, error) {
	b.kept.Write(p[:min(len(p), facts.MaxSearched-b.kept.Len())])
	return len(p), nil
}
