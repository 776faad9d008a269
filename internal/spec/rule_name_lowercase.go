package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var nameLowercase = &Rule{
	ID:     "name-lowercase",
	Title:  "name is lowercase",
	Level:  Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *Pass) {
		name, _, ok := p.name()
		if !ok || !hasUpper(name) {
			return
		}
		from, to := strings.IndexFunc(p.Doc.Field("name").Value.Text, isUpper), 0
		if from >= 0 {
			_, size := utf8.DecodeRuneInString(p.Doc.Field("name").Value.Text[from:])
			to = from + size
		}
		p.misspelt(from, to, "Skill name '%s' must be lowercase")
	},
}

// isUpper reports whether a character has a lowercase form other than itself.
func isUpper(r rune) bool { return unicode.ToLower(r) != r }

func hasUpper(s string) bool { return strings.ContainsFunc(s, isUpper) }
