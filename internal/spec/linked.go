package spec

import (
	"path"
	"slices"
	"strings"

	"skills/internal/markdown"
	"skills/internal/spec/references"
)

// How much is followed from a SKILL.md.
const (
	maxLinked      = 200
	maxLinkedBytes = 8 << 20
)

// linked is a Markdown file that is reached from the SKILL.md by links.
type linked struct {
	*page
	depth int           // links from the SKILL.md, which itself has 0
	via   *page         // the file whose link reached it first
	link  markdown.Link // that link
}

// linked returns the SKILL.md and the Markdown files that links reach from it,
// the nearest first; what the SKILL.md names counts as linked by it.
// Nil where the folder is not known.
func (d *Document) linked() []linked {
	f := d.folder()
	if f == nil {
		return nil
	}
	if f.walked == nil {
		f.walked = d.follow(f)
	}
	return f.walked
}

func (d *Document) follow(f *folder) []linked {
	out := []linked{{page: f.pages[""]}}
	seen, size := map[*page]bool{f.pages[""]: true}, 0
	for i := 0; i < len(out); i++ {
		at := out[i]
		if isTemplate(at.name) {
			continue
		}
		visit := func(name string, l markdown.Link) {
			if len(out) >= maxLinked || size >= maxLinkedBytes {
				return
			}
			if p := f.page(d, name); p != nil && !seen[p] {
				seen[p] = true
				size += len(p.src)
				out = append(out, linked{p, at.depth + 1, at.page, l})
			}
		}
		for _, l := range at.Links {
			if t := references.Resolve(d.Dir, at.name, l); t.Kind == references.InSkill || t.Kind == references.Above {
				if name := f.resolve(t); name != "" {
					visit(name, l)
				} else if actual, _ := f.find(t.Path); actual != "" {
					visit(actual, l) // it is told that the case is wrong
				} else if name, _ := f.extended(t); name != "" {
					visit(name, l) // it is told that the extension is missing
				}
			}
		}
		if i == 0 {
			for _, m := range slices.Concat(at.Mentions(), at.Pages()) {
				visit(m.Path, markdown.Link{Start: m.Start, End: m.End})
			}
		}
	}
	return out
}

// resolve returns the file a target leads to, "" where it is not there.
func (f *folder) resolve(t references.Target) string {
	for _, name := range append([]string{t.Path}, t.Others...) {
		if references.IsInside(name) && f.has(name) {
			actual, _ := f.find(name)
			return actual
		}
	}
	return ""
}

// extended returns the Markdown file that a target leads to where its
// extension is added, as the sites of documentation do, and the extension; ""
// where there is none.
func (f *folder) extended(t references.Target) (name, ext string) {
	for _, ext := range []string{".md", ".markdown", ".mdx"} {
		for _, name := range append([]string{t.Path}, t.Others...) {
			if references.IsInside(name) && name != "." && f.has(name+ext) {
				actual, _ := f.find(name + ext)
				return actual, ext
			}
		}
	}
	return "", ""
}

// isTemplate reports files that are copied and filled in: their links count
// from where the copy will be.
func isTemplate(name string) bool {
	name = strings.ToLower(name)
	dir := "/" + path.Dir(name) + "/"
	return strings.Contains(path.Base(name), "template") || strings.Contains(dir, "/template/") || strings.Contains(dir, "/templates/")
}
