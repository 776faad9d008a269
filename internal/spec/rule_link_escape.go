package spec

import (
	"path"
	"strings"

	"skills/internal/spec/references"
)

var linkEscape = &Rule{
	ID:     "link-escape",
	Title:  "links and symbolic links stay in the skill's folder",
	Level:  Warning,
	Needs:  NeedsBody,
	Source: "specification, file references: paths are relative to the skill's folder, which is what is installed",
	Check: func(p *Pass) {
		f := p.Doc.folder()
		if f == nil {
			checkEscapes(p, nil, p.Doc.ownPage())
			return
		}
		for _, file := range p.Doc.linked() {
			if !isTemplate(file.name) {
				checkEscapes(p, f, file.page)
			}
		}
		for _, file := range f.files.List() {
			if file.Outside && !p.Full() {
				p.ReportIn(p.Path(file.Name), Span{}, nil, "put a copy of the file there",
					"the symbolic link %s leads to %s, outside the skill's folder or nowhere", quote(file.Name), quote(file.Link))
			}
		}
	},
}

func checkEscapes(p *Pass, f *folder, in *page) {
	for _, l := range in.Links {
		if p.Full() {
			return
		}
		t := references.Resolve(p.Doc.Dir, in.name, l)
		switch {
		case t.Kind == references.Above && (f == nil || f.resolve(t) == ""):
			reportEscape(p, f, in, t)
		case t.Kind == references.OnDisk:
			reportTarget(p, in, t, nil, "write the path from the skill's folder, and put the file there", "%s is a path of one machine", quotePath(t.Target))
		case t.Kind == references.Elsewhere && f != nil && strings.HasPrefix(t.Target, "/"):
			written, _, _ := l.Split()
			if rest := strings.Trim(written, "/"); rest != "" && f.has(rest) {
				reportTarget(p, in, t, nil, "write "+show(rest), "%s starts at the root of the disk, but the file is in the skill", quotePath(t.Target))
			}
		}
	}
}

// reportEscape reports a link that leaves the folder by "..". Collections link
// their skills to each other: where the other skill is there, that is advice.
func reportEscape(p *Pass, f *folder, in *page, t references.Target) {
	there, known := f.above(t.Path)
	skill := f.neighbour(t.Path)
	help := "put what it needs into the skill"
	if skill != "" || strings.HasSuffix(t.Path, "/"+FileName) {
		help = "name the other skill in words: only the folder of this one is installed with it"
	}
	place := in.place(t.Start, t.End)
	switch {
	case there && skill != "":
		p.AdviseIn(in.path(p), place, nil, help, "%s leads to another skill, %s, which need not be installed with this one", quotePath(t.Target), quote(path.Base(skill)))
	case known && !there:
		p.ReportIn(in.path(p), place, nil, help, "%s leads out of the skill's folder, and does not exist", quotePath(t.Target))
	default:
		p.ReportIn(in.path(p), place, nil, help, "%s leads out of the skill's folder", quotePath(t.Target))
	}
}
