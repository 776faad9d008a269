package spec

import (
	"strings"
	"unicode"
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
		f := p.Doc.Field("name")
		from := max(strings.IndexFunc(f.Value.Text, isUpper), 0)
		at := len([]rune(f.Value.Text[:from]))
		p.ReportFix(within(p.Doc, f, at, at+1), p.nameFix(), helpName(name), "Skill name '%s' must be lowercase", show(name))
	},
}

// isUpper reports whether a character has a lowercase form other than itself.
func isUpper(r rune) bool { return unicode.ToLower(r) != r }

func hasUpper(s string) bool { return strings.ContainsFunc(s, isUpper) }
