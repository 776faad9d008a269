package spec

import "skills/internal/markdown"

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
// the nearest first; what the SKILL.md names in code counts as linked by it.
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
			if t := d.target(at.name, l); t.kind == toFile || t.kind == toAbove {
				if name := f.resolve(t); name != "" {
					visit(name, l)
				} else if actual, _ := f.find(t.path); actual != "" {
					visit(actual, l) // it is told that the case is wrong
				}
			}
		}
		if i == 0 {
			for _, m := range at.bareReferences() {
				visit(m.path, markdown.Link{Start: m.start, End: m.end})
			}
		}
	}
	return out
}

// resolve returns the file a target leads to, "" where it is not there.
func (f *folder) resolve(t target) string {
	for _, name := range append([]string{t.path}, t.others...) {
		if isInside(name) && f.has(name) {
			actual, _ := f.find(name)
			return actual
		}
	}
	return ""
}
