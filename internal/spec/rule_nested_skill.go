package spec

import (
	"path"
	"slices"
	"strings"
)

var nestedSkill = &Rule{
	ID:     "nested-skill",
	Title:  "no skill inside a skill",
	Level:  Warning,
	Source: "agentskills.io, adding skills support: a folder with a SKILL.md is a skill; clients differ on those inside it",
	Check: func(p *Pass) {
		var nested []string
		for _, name := range p.Doc.nestedSkills() {
			if !sampleFolder(name) {
				nested = append(nested, name)
			}
		}
		const help = "move it beside this skill, or give the file another name: some clients load it as a skill of its own, others never see it"
		if len(nested) > 3 {
			p.Report(Span{}, "move them beside this skill, or give the files other names: some clients load them as skills of their own, others never see them",
				"%d skills are inside this one, %s the first of them", len(nested), quote(path.Dir(nested[0])))
			return
		}
		for _, name := range nested {
			p.ReportIn(p.Path(name), Span{}, nil, help, "the skill %s is inside another one%s", quote(path.Dir(name)), ofSkill(p.Doc))
		}
	},
}

// nestedSkills returns what Nested does. Folders are not looked through a
// second time where their list, as far as it goes, shows no such file.
func (d *Document) nestedSkills() []string {
	if d.Nested == nil {
		return nil
	}
	if d.Files != nil {
		list := d.Files.List()
		may := func(f File) bool { return f.Skipped || path.Base(f.Name) == FileName && f.Name != FileName }
		const long = 5000 // a list that long may have been cut
		if len(list) < long && !slices.ContainsFunc(list, may) {
			return nil
		}
	}
	return d.Nested()
}

func ofSkill(d *Document) string {
	if name := strings.TrimSpace(d.Text("name")); name != "" {
		return ", " + quote(name)
	}
	return ""
}
