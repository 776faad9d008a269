package spec

import (
	"strings"
	"unicode"
)

var nameLowercase = &Rule{
	ID:        "name-lowercase",
	Title:     "name is lowercase",
	Level:     Error,
	Source:    `specification, "name field"`,
	Fix:       nameFixText,
	Reference: true,
	Check: func(p *Pass) {
		name, _, ok := p.name()
		if !ok || !hasUpper(name) {
			return
		}
		text := p.Doc.Field("name").Value.Text
		from, to := strings.IndexFunc(text, isUpper), 0
		if from >= 0 {
			to = len(text) - len(strings.TrimLeftFunc(text[from:], isUpper))
		}
		p.misspelt(from, to, "Skill name '%s' must be lowercase")
	},
}

// isUpper reports whether a character has a lowercase form other than itself.
func isUpper(r rune) bool { return unicode.ToLower(r) != r }

func hasUpper(s string) bool { return strings.ContainsFunc(s, isUpper) }
