package spec

import "unicode/utf8"

const maxName = 64

var nameLength = &Rule{
	ID:        "name-length",
	Title:     "name has at most 64 characters",
	Level:     Error,
	Source:    `specification, "name field"`,
	Reference: true,
	Check: func(p *Pass) {
		name, span, ok := p.name()
		if n := utf8.RuneCountInString(name); ok && n > maxName {
			p.Report(span, "shorten it; details belong in the description",
				"Skill name '%s' exceeds 64 character limit (%d chars)", show(name), n)
		}
	},
}
