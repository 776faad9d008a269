package spec

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"skills/internal/markdown"
	"skills/internal/spec/references"
)

// folder answers what is in a skill's folder, and keeps the Markdown files
// that rules look into, each parsed once.
type folder struct {
	files  Files
	byName map[string]File
	names  []string            // in the order of the list, each after what is in it
	folded map[string][]string // names by their form without case, made when it is first needed
	pages  map[string]*page
	walked []linked // see Document.linked
}

// page is a Markdown file of the skill; nil where it cannot be read.
type page struct {
	text
	*references.Page
	start int // offset of the body in the file
}

// folder returns the skill's folder, nil where it is not known.
func (d *Document) folder() *folder {
	if d.tree != nil || d.Files == nil {
		return d.tree
	}
	list := d.Files.List()
	f := &folder{
		files: d.Files, byName: make(map[string]File, len(list)),
		names: make([]string, 0, len(list)), pages: map[string]*page{},
	}
	for _, file := range list {
		for name := file.Name; name != "." && name != "/"; name = path.Dir(name) {
			if _, ok := f.byName[name]; ok {
				break
			}
			f.byName[name] = file
			f.names = append(f.names, name)
			file = File{Name: path.Dir(name), Mode: fs.ModeDir} // the folder it is in
		}
	}
	own := d.ownPage()
	f.pages[""], f.pages[d.File], f.pages[FileName] = own, own, own
	d.tree = f
	return f
}

// references returns the body with its references.
func (d *Document) references() *references.Page {
	if d.refs == nil {
		d.refs = references.New(d.Page(), d.Body, func(name string) bool { f := d.folder(); return f != nil && f.exists(name) })
	}
	return d.refs
}

// ownPage returns the SKILL.md as a page.
func (d *Document) ownPage() *page {
	return &page{text: text{src: d.Source, doc: d}, Page: d.references(), start: d.Block().BodyStart}
}

// exists reports whether a path is that of a file in the folder, in any case.
func (f *folder) exists(name string) bool {
	actual, _ := f.find(name)
	return actual != ""
}

// fold is a name as disks compare it that do not tell cases apart.
func fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// find returns the name under which a path is in the folder: the path itself,
// or another spelling of it where only case or Unicode form differ. known is
// false where nothing can be said: the path leads into a folder that is not
// listed, or through a link.
func (f *folder) find(name string) (actual string, known bool) {
	if name = path.Clean(name); name == "." {
		return name, true
	}
	if _, ok := f.byName[name]; ok {
		return name, true
	}
	const longest = 4096 // bytes that systems take for a path
	if len(name) > longest {
		return "", true
	}
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if in, ok := f.byName[dir]; ok && (in.Skipped || in.Link != "") {
			return "", false
		}
	}
	if names := f.spelled(name); len(names) > 0 {
		if i := slices.IndexFunc(names, func(s string) bool { return norm.NFC.String(s) == norm.NFC.String(name) }); i >= 0 {
			return names[i], true
		}
		return names[0], true
	}
	// A list that long may have been cut.
	const long = 5000
	if len(f.byName) >= long {
		return "", false
	}
	return "", true
}

// spelled returns the names that differ from a path in case or Unicode form
// only.
func (f *folder) spelled(name string) []string {
	if f.folded == nil {
		f.folded = make(map[string][]string, len(f.names))
		for _, n := range f.names {
			key := fold(n)
			f.folded[key] = append(f.folded[key], n)
		}
	}
	return f.folded[fold(name)]
}

// has reports whether a path is in the folder in this spelling.
func (f *folder) has(name string) bool {
	actual, _ := f.find(name)
	return actual != "" && norm.NFC.String(actual) == norm.NFC.String(path.Clean(name))
}

// isDir reports whether a path is a folder.
func (f *folder) isDir(name string) bool { return f.byName[name].Mode.IsDir() }

// page returns a Markdown file of the folder, "" being the SKILL.md; nil where
// it is no Markdown, no regular file, or cannot be read.
func (f *folder) page(d *Document, name string) *page {
	p, ok := f.pages[name]
	if ok {
		return p
	}
	if file := f.byName[name]; references.IsMarkdown(name) && !file.Mode.IsDir() && !file.Outside {
		if src, err := f.files.Read(name, maxText); err == nil && isText(src) {
			start := pastFrontmatter(src)
			p = &page{text: text{name: name, src: src, doc: d}, Page: references.New(markdown.Parse(src[start:]), string(src[start:]), f.exists), start: start}
		}
	}
	f.pages[name] = p
	return p
}

// pastFrontmatter returns where the text of a Markdown file starts: behind the
// YAML between two lines of --- at its beginning, 0 where it has none.
func pastFrontmatter(src []byte) int {
	if len(src) == 0 || src[0] == '#' || isASCIILetter(src[0]) {
		return 0 // nothing that starts so is a fence, or blank
	}
	b := Scan("", "", src).Block()
	if !b.Closed() {
		return 0
	}
	return b.BodyStart
}

// place returns where two offsets of the parsed text stand.
func (p *page) place(start, end int) Span { return p.span(p.start+start, p.start+end) }

// alike returns the file that somebody probably meant by a path: one with its
// name elsewhere; "" where there is none, or several.
func (f *folder) alike(name string) string {
	found := ""
	for _, file := range f.files.List() {
		if file.Mode.IsRegular() && path.Base(file.Name) == path.Base(name) {
			if found != "" {
				return ""
			}
			found = file.Name
		}
	}
	return found
}
