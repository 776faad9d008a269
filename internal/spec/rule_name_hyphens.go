package spec

import "strings"

var nameHyphens = &Rule{
	ID:     "name-hyphens",
	Title:  "name has no hyphen at an end and no two in a row",
	Level:  Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *Pass) {
		name, span, ok := p.name()
		if !ok {
			return
		}
		if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
			p.ReportFix(span, p.nameFix(), helpName(name), "Skill name cannot start or end with a hyphen: '%s'", show(name))
		}
		if strings.Contains(name, "--") {
			p.ReportFix(span, p.nameFix(), helpName(name), "Skill name cannot contain consecutive hyphens: '%s'", show(name))
		}
	},
}
