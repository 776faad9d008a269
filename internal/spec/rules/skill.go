package rules

// What several rules need of a skill is computed once, on first use, and shared during a
// check: its folder, its pages with their links, and which of them an agent can reach.

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"skills/internal/markdown"
	"skills/internal/spec"
	"skills/internal/spec/references"
	"skills/internal/spec/tokens"
)

// skill holds what rules compute about a document and its folder. All rules
// share it during a check.
type skill struct {
	doc    *spec.Document
	body   *references.Page
	folder *references.Folder
	pages  map[string]*page // by name, with "" for the SKILL.md; nil for unreadable files
	// linkedPages returns the SKILL.md and the Markdown files reachable from it by
	// links, in order of depth. A file mentioned in the SKILL.md counts as linked.
	// If the files are unknown, it is only the SKILL.md.
	linkedPages func() []*page
}

// page is a Markdown file of the skill.
type page struct {
	text
	*references.Page
	start   int                 // offset of the body in the file
	targets []references.Target // of the links in doc
	tokens  func() int          // an estimate

	// Only of linked pages:
	depth int           // links from the SKILL.md, which itself has 0
	via   *page         // the page whose link reached it first, nil for the SKILL.md
	link  markdown.Link // that link
}

// skillOf returns the skill checked by a pass.
func skillOf(p *spec.Pass) *skill {
	return spec.Shared(p, func() *skill { return newSkill(p.Doc) })
}

func newSkill(d *spec.Document) *skill {
	s := &skill{doc: d, pages: map[string]*page{}}
	s.folder = &references.Folder{} // unknown
	if d.Files != nil {
		var entries []references.Entry
		for _, f := range d.Files.List() {
			entries = append(entries, references.Entry{Name: f.Name, Dir: f.Mode.IsDir(), Opaque: f.Skipped || !f.Mode.IsRegular() && !f.Mode.IsDir()})
		}
		s.folder = references.NewFolder(entries)
	}
	s.body = references.New(d.Page(), d.Body, d.Dir, s.folder.Exists)
	own := s.newPage(text{src: d.Source}, s.body, d.Block().BodyStart)
	s.linkedPages = sync.OnceValue(s.follow)
	s.pages[""], s.pages[d.File], s.pages[spec.FileName] = own, own, own
	return s
}

// own returns the SKILL.md.
func (s *skill) own() *page { return s.pages[""] }

// page returns a Markdown file of the folder, or nil for other and unreadable
// files.
func (s *skill) page(name string) *page {
	p, ok := s.pages[name]
	if ok {
		return p
	}
	if references.IsMarkdown(name) && !s.folder.IsDir(name) {
		if f, ok := fileOf(s.doc, name); ok && !f.Outside {
			if t := readText(s.doc, f); t != nil {
				start := bodyStart(t.src)
				p = s.newPage(*t, references.New(markdown.Parse(t.src[start:]), string(t.src[start:]), s.doc.Dir, s.folder.Exists), start)
			}
		}
	}
	s.pages[name] = p
	return p
}

func (s *skill) newPage(t text, refs *references.Page, start int) *page {
	p := &page{text: t, Page: refs, start: start}
	p.tokens = sync.OnceValue(func() int { return tokens.Estimate(string(t.src)) })
	for _, l := range refs.Links {
		p.targets = append(p.targets, references.Resolve(s.doc.Dir, t.name, l))
	}
	return p
}

// bodyStart returns the offset after the frontmatter of a Markdown file, or 0.
func bodyStart(src []byte) int {
	if first := bytes.TrimLeft(src, " \t\r\n"); len(first) == 0 || first[0] < utf8.RuneSelf && first[0] != '-' {
		return 0 // most files
	}
	if b := spec.Scan("", "", src).Block(); b.Closed() {
		return b.BodyStart
	}
	return 0
}

// bodySpan converts two offsets in the body to a span.
func (p *page) bodySpan(start, end int) spec.Span { return p.span(p.start+start, p.start+end) }

// reportBody adds a finding about the bytes of the body from start to end.
func (p *page) reportBody(pass *spec.Pass, start, end int, help, format string, args ...any) *spec.Diagnostic {
	return p.report(pass, p.start+start, p.start+end, help, format, args...)
}

// Limits for files reachable from a SKILL.md.
const (
	maxLinked      = 200
	maxLinkedBytes = 8 << 20
)

// instructions returns the linked pages that are not templates.
func (s *skill) instructions() []*page {
	return slices.DeleteFunc(slices.Clone(s.linkedPages()), func(p *page) bool { return isTemplate(p.name) })
}

func (s *skill) follow() []*page {
	out, size := []*page{s.own()}, 0
	nested := nestedFolders(s.doc)
	for i := 0; i < len(out); i++ {
		at := out[i]
		if isTemplate(at.name) {
			continue
		}
		visit := func(name string, l markdown.Link) {
			if len(out) >= maxLinked || size >= maxLinkedBytes || inFolderOf(nested, name) {
				return
			}
			if p := s.page(name); p != nil && p != s.own() && p.via == nil {
				p.depth, p.via, p.link = at.depth+1, at, l
				size += len(p.src)
				out = append(out, p)
			}
		}
		for _, t := range at.targets {
			if t.Kind != references.InSkill && t.Kind != references.Above {
				continue
			}
			// A wrong letter case is reported by link-target.
			if name := s.folder.Resolve(t); name != "" {
				visit(name, t.Link)
			} else if actual, _ := s.folder.Find(t.Path); actual != "" {
				visit(actual, t.Link)
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

// isTemplate reports whether a file is meant to be copied, so that its links
// are relative to the copy.
func isTemplate(name string) bool {
	return strings.Contains(strings.ToLower(path.Base(name)), "template") || spec.InFolder(name, "template", "templates")
}

// missing reports whether a mentioned path is certainly neither in the skill's
// folder nor in the page's own. other is a name in the skill's folder with another
// spelling, or "".
func (s *skill) missing(in *page, name string) (other string, missing bool) {
	other, known := s.folder.Find(name)
	return other, known && !s.folder.Has(name) && !s.folder.Has(path.Join(path.Dir(in.name), name))
}

// above reports whether a path out of the folder exists; known is false if that
// is uncertain.
func (s *skill) above(name string) (exists, known bool) {
	if s.doc.Files == nil {
		return false, false
	}
	return s.doc.Files.Above(name)
}

// neighbour returns the folder of another skill that a path such as ../other
// leads to, or "".
func (s *skill) neighbour(name string) string {
	const most = 64 // folders
	if strings.Count(name, "/") > most {
		return ""
	}
	for dir := name; path.Base(dir) != ".." && dir != "."; dir = path.Dir(dir) {
		if exists, _ := s.above(path.Join(dir, spec.FileName)); exists {
			return dir
		}
	}
	return ""
}

// ancestorWith returns the path from the skill's folder up to the nearest folder
// with one of the files, such as "../../". It returns "" if there is none.
func (s *skill) ancestorWith(names ...string) string {
	const most = 16 // folders
	for up, levels := "../", 0; levels < most; up, levels = up+"../", levels+1 {
		for _, name := range names {
			if exists, known := s.above(up + name); exists {
				return up
			} else if !known {
				return ""
			}
		}
	}
	return ""
}

// projectHas reports whether a folder above the skill's has a file with this
// path, which may then be the project's.
func (s *skill) projectHas(name string) bool { return s.ancestorWith(name) != "" }

// nestedSkills returns the SKILL.md files in subfolders.
func (s *skill) nestedSkills() []string {
	if s.doc.Nested == nil {
		return nil
	}
	return s.doc.Nested()
}
