package spec

import (
	"path"
	"strings"

	"skills/internal/spec/references"
)

var scriptTarget = &Rule{
	ID:     "script-target",
	Title:  "scripts that commands run are in the skill",
	Level:  Warning,
	Needs:  NeedsBody,
	Source: "agentskills.io, using scripts: paths in commands are relative to the skill's folder",
	Check: func(p *Pass) {
		f := p.Doc.folder()
		if f == nil {
			return
		}
		told := map[string]bool{}
		for _, in := range p.Doc.linked() {
			if in.depth > 0 && (isTemplate(in.name) || !strings.Contains(in.Body, "scripts/")) {
				continue
			}
			t := scriptCheck{p, f, in.page, told}
			for _, s := range in.CodeScripts() {
				t.report(s)
			}
			if in.depth > 0 {
				continue
			}
			for _, s := range in.ProseScripts() {
				t.report(s)
			}
			t.mentions()
		}
	},
}

// scriptCheck reports missing scripts of one page.
type scriptCheck struct {
	*Pass
	folder *folder
	in     *page
	told   map[string]bool // missing names that were looked at
}

// mentions checks the scripts that a sentence tells to run or use by their path
// alone. In a skill without scripts/, the sentence has to say "run", or be in a
// list of the skill's scripts: most such paths belong to the project.
func (t scriptCheck) mentions() {
	for _, m := range t.in.Mentions() {
		if !m.IsScript() {
			continue
		}
		if t.folder.exists(m.Path) || t.folder.isDir("scripts") && t.in.Demands(m) || m.Code && t.in.Orders(m.Start, m.End) || t.in.Offers(m) {
			t.report(references.Script{Path: m.Path, Start: m.Start, End: m.End, Program: true})
		}
	}
}

// report reports a script that does not exist, unless it may be somewhere else.
func (t scriptCheck) report(s references.Script) {
	const most = 1000 // different names that are not there
	actual, known := t.folder.find(s.Path)
	if beside := path.Join(path.Dir(t.in.name), s.Path); t.in.name != "" && t.folder.has(beside) {
		return // named from the file's own folder
	}
	if !known || t.folder.has(s.Path) || t.told[s.Path] || t.Full() || len(t.told) > most {
		return
	}
	t.told[s.Path] = true
	span := t.in.place(s.Start, s.End)
	if actual != "" {
		t.ReportIn(t.in.path(t.Pass), span, nil, "write it as it is on disk: "+show(actual), "%s is called %s on disk, which is another file where upper and lower case differ", quote(s.Path), quote(actual))
		return
	}
	help := "add the script, or correct the path"
	guess := t.folder.guess(s.Path)
	if guess != "" {
		help = "did you mean " + show(guess) + "?"
	}
	if !s.Sure && (t.in.IsGuide() && guess == "" || t.elsewhere(s)) || t.in.Produces(s.Path) {
		return
	}
	t.ReportIn(t.in.path(t.Pass), span, nil, help, "the script %s does not exist in the skill's folder", quote(s.Path))
}

// elsewhere reports whether a script may be in somebody's project, or in the
// folder in which the agent works.
func (t scriptCheck) elsewhere(s references.Script) bool {
	top, _, _ := strings.Cut(s.Path, "/")
	script := references.IsScriptName(s.Path)
	switch {
	case t.folder.aboveHas(s.Path):
		return true
	case t.folder.isDir(top):
		return top != "scripts" && (!s.Program || !script) || t.in.InProject(s.Start, s.End, false)
	}
	return top != "scripts" || path.Dir(s.Path) == "." || !script || t.in.InProject(s.Start, s.End, true)
}
