package rules

import (
	"strings"
	"unicode"

	"skills/internal/spec"
)

var nameLowercase = &spec.Rule{
	ID:     "name-lowercase",
	Title:  "name is lowercase",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		name, _, ok := comparedName(p)
		if !ok || !hasUpper(name) {
			return
		}
		text := p.Doc.Field("name").Value.Text
		from, to := strings.IndexFunc(text, isUpper), 0
		if from >= 0 {
			to = len(text) - len(strings.TrimLeftFunc(text[from:], isUpper))
		}
		reportSpelling(p, from, to, "Skill name '%s' must be lowercase")
	},
}

// isUpper reports whether a character has a lowercase form other than itself.
func isUpper(r rune) bool { return unicode.ToLower(r) != r }

func hasUpper(s string) bool { return strings.ContainsFunc(s, isUpper) }
