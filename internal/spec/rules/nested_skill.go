package rules

import (
	"path"

	"skills/internal/printable"
	"skills/internal/spec"
)

var nestedSkill = &spec.Rule{
	ID:     "nested-skill",
	Title:  "no skill inside a skill",
	Level:  spec.Warning,
	Needs:  spec.NeedsText, // a SKILL.md without frontmatter hides nested skills as well
	Source: "agentskills.io, adding skills support: a folder with a SKILL.md is a skill; clients differ on those inside it",
	Check: func(p *spec.Pass) {
		var nested []string
		for _, name := range skillOf(p).nestedSkills() {
			if !spec.IsSample(name) {
				nested = append(nested, name)
			}
		}
		help := "move it next to this skill, or give the file another name: some clients load it as a skill of its own, others never see it"
		switch len(nested) {
		case 0:
		case 1:
			p.Report(spec.Span{}, help, "the skill %s is inside this one", printable.Quote(path.Dir(nested[0])))
		default:
			help = "move them next to this skill, or give the files other names: some clients load them as skills of their own, others never see them"
			p.Report(spec.Span{}, help, "%d skills are inside this one; the first is %s", len(nested), printable.Quote(path.Dir(nested[0])))
		}
	},
}
