package references

// Where a page mentions files of the skill, for people who follow or change these mentions.
// Only files that exist count, and only where the text contains the path as a whole: of a
// link the part before its fragment, of a command the part after a variable.

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"skills/internal/markdown"
)

// Place is a mention of a file.
type Place struct {
	File       string // the file, as the folder has it
	Start, End int    // the path as written, offsets in the body
	// Base is the folder that the written path is relative to, "." for the skill's.
	Base string
	// Link is true if the path is the target of a link, where some characters are
	// escaped.
	Link     bool
	Fragment string // of a link
}

// Places returns the mentions of files in a page, whose file is from ("" is the SKILL.md),
// in order. Of two that overlap only the first is returned.
func Places(p *Page, from string, folder *Folder) (out []Place) {
	here := path.Dir(from)
	for _, l := range p.Links {
		t := Resolve(p.dir, from, l)
		if t.Kind != InSkill {
			continue
		}
		file := folder.Resolve(t)
		written := p.Body[l.Start:l.End]
		if at := strings.IndexAny(written, "#?"); at >= 0 {
			written = written[:at]
		}
		if start, base, ok := locate(markdown.Link{Target: written}.Path(), written, file, here); ok {
			out = append(out, Place{File: file, Start: l.Start + start, End: l.Start + len(written), Base: base, Link: true, Fragment: t.Fragment})
		}
	}
	add := func(name string, start, end int) {
		for _, candidate := range []string{name, path.Join(here, name)} {
			if !IsInside(candidate) || !folder.Has(candidate) {
				continue
			}
			file, _ := folder.Find(candidate)
			written := p.Body[start:end]
			if at, base, ok := locate(written, written, file, here); ok {
				out = append(out, Place{File: file, Start: start + at, End: end, Base: base})
			}
			return
		}
	}
	for _, m := range slices.Concat(p.Mentions(), p.Pages()) {
		add(m.Path, m.Start, m.End)
	}
	for _, s := range slices.Concat(p.CodeScripts(), p.ProseScripts()) {
		if !s.Plugin {
			add(s.Path, s.Start, s.End)
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int { return cmp.Compare(a.Start, b.Start) })
	end := -1
	return slices.DeleteFunc(out, func(x Place) bool {
		overlaps := x.Start < end
		end = max(end, x.End)
		return overlaps
	})
}

// locate returns the offset in the written text at which the path of a file begins, and the
// folder that it is relative to. decoded is the text without the escapes of a link.
func locate(decoded, written, file, here string) (start int, base string, ok bool) {
	if file == "" {
		return 0, "", false
	}
	for _, base := range []string{here, "."} {
		if path.Join(base, decoded) == file {
			return 0, base, true
		}
	}
	if prefix, found := strings.CutSuffix(written, file); found && strings.HasSuffix(prefix, "/") {
		return len(prefix), ".", true
	}
	return 0, "", false
}

// Written returns how the path of a file is written at a place, if the page is or will be in
// the folder here ("." for the skill's).
func (x Place) Written(file, here string) string {
	out := file
	if x.Base != "." {
		out = relative(here, file)
	}
	if x.Link {
		out = linkEscapes.Replace(out)
	}
	return out
}

// linkEscapes escapes what ends a link's target, or has a meaning in it.
var linkEscapes = strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "#", "%23", "?", "%3F")

// relative returns the path of a file relative to a folder.
func relative(dir, file string) string {
	if dir == "." || dir == "" {
		return file
	}
	parts, to := strings.Split(dir, "/"), strings.Split(file, "/")
	same := 0
	for same < len(parts) && same < len(to)-1 && parts[same] == to[same] {
		same++
	}
	return strings.Repeat("../", len(parts)-same) + strings.Join(to[same:], "/")
}
