package spec

import (
	"strings"
	"unicode/utf8"
)

var nameCharacters = &Rule{
	ID:     "name-characters",
	Title:  "name holds only letters, digits and hyphens",
	Level:  Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *Pass) {
		name, span, ok := p.name()
		if !ok {
			return
		}
		i := strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) })
		if i < 0 {
			return
		}
		bad, _ := utf8.DecodeRuneInString(name[i:])
		f := p.Doc.Field("name")
		if at := strings.IndexRune(f.Value.Text, bad); at >= 0 {
			col := utf8.RuneCountInString(f.Value.Text[:at])
			span = within(p.Doc, f, col, col+1)
		}
		p.ReportFix(span, p.nameFix(), helpName(name),
			"Skill name '%s' contains invalid characters. Only letters, digits, and hyphens are allowed; found %s",
			show(name), describeRune(bad))
	},
}
