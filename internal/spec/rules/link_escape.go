package rules

import (
	"path"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var linkEscape = &spec.Rule{
	ID:     "link-escape",
	Title:  "links and symbolic links stay in the skill's folder",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "specification, file references: paths are relative to the skill's folder, which is what is installed",
	Check: func(p *spec.Pass) {
		s := skillOf(p)
		for _, file := range s.instructions() {
			checkEscapes(p, s, file.page)
		}
		for _, file := range filesOf(p.Doc) {
			if file.Outside && !p.Full() {
				reportFile(p, file.Name, "replace the link with a copy of the file",
					"the symbolic link %s leads to %s, which is outside the skill's folder or does not exist", printable.Quote(file.Name), printable.Quote(file.Link))
			}
		}
	},
}

func checkEscapes(p *spec.Pass, s *skill, in *page) {
	for _, t := range in.targets {
		if p.Full() {
			return
		}
		switch {
		case t.Kind == references.Above && s.folder.Resolve(t) == "":
			reportEscape(p, s, in, t)
		case t.Kind == references.OnDisk:
			in.reportBody(p, t.Start, t.End, "write the path from the skill's folder, and put the file there", "%s is a path of one machine", quotedPath(t.Target))
		case t.Kind == references.Elsewhere && strings.HasPrefix(t.Target, "/"):
			written, _, _ := t.Split()
			if rest := strings.Trim(written, "/"); rest != "" && s.folder.Has(rest) {
				in.reportBody(p, t.Start, t.End, "write "+printable.Quoted(rest), "%s starts at the root of the disk, but the file is in the skill", quotedPath(t.Target))
			}
		}
	}
}

// inPlugin reports whether a path out of the folder stays in the plugin that
// contains the skill.
func (s *skill) inPlugin(name string) bool {
	up := s.ancestorWith(".claude-plugin", ".codex-plugin", ".cursor-plugin", "plugin.json", "gemini-extension.json")
	return up != "" && strings.Count(path.Clean(name), "../") <= strings.Count(up, "../")
}

// reportEscape reports a link that leaves the folder through "..". Skills of a
// collection may link to each other, so a link to an existing skill is only
// advice.
func reportEscape(p *spec.Pass, s *skill, in *page, t references.Target) {
	there, known := s.above(t.Path)
	skill := s.neighbour(t.Path)
	help := "put what it needs into the skill"
	if skill != "" || strings.HasSuffix(t.Path, "/"+spec.FileName) {
		help = "name the other skill in words: only the folder of this one is installed with it"
	}
	place := in.bodySpan(t.Start, t.End)
	switch {
	case there && skill != "":
		p.AdviseIn(in.path(p), place, nil, help, "%s leads to another skill, %s, which need not be installed with this one", quotedPath(t.Target), printable.Quote(path.Base(skill)))
	case there && s.inPlugin(t.Path):
		p.AdviseIn(in.path(p), place, nil, "copy it into the skill if the skill is also installed without the plugin", "%s leads out of the skill's folder to another file of its plugin", quotedPath(t.Target))
	case known && !there:
		in.reportBody(p, t.Start, t.End, help, "%s leads out of the skill's folder, and does not exist", quotedPath(t.Target))
	default:
		in.reportBody(p, t.Start, t.End, help, "%s leads out of the skill's folder", quotedPath(t.Target))
	}
}
