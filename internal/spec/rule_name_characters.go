package spec

import (
	"strings"
	"unicode/utf8"

	"skills/internal/spec/frontmatter"
)

var nameCharacters = &Rule{
	ID:        "name-characters",
	Title:     "name holds only letters, digits and hyphens",
	Level:     Error,
	Source:    `specification, "name field"`,
	Fix:       nameFixText,
	Reference: true,
	Check: func(p *Pass) {
		const message = "Skill name '%s' contains invalid characters. "
		if f := p.Doc.Field("name"); f != nil && hasText(f.Value) && frontmatter.HasPlaceholder(f.Value.Text) {
			p.Report(f.Value.Span, "fill the template in; the name is that of the folder",
				message+"It is a placeholder of a template", show(trim(f.Value.Text)))
			return
		}
		name, _, ok := p.name()
		i := strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) })
		if !ok || i < 0 {
			return
		}
		bad, size := utf8.DecodeRuneInString(name[i:])
		from, to := strings.IndexRune(p.Doc.Field("name").Value.Text, bad), 0
		if from >= 0 {
			to = from + size
		}
		p.misspelt(from, to, message+"Only letters, digits, and hyphens are allowed; found %s", describeRune(bad))
	},
}
