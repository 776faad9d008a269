package rules

import (
	"unicode/utf8"

	"skills/internal/spec"
)

const maxName = 64

var nameLength = &spec.Rule{
	ID:     "name-length",
	Title:  "name has at most 64 characters",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Check: func(p *spec.Pass) {
		name, span, ok := comparedName(p)
		if n := utf8.RuneCountInString(name); ok && n > maxName {
			p.Report(span, "shorten it; details belong in the description",
				"Skill name '%s' exceeds 64 character limit (%d chars)", show(name), n)
		}
	},
}
