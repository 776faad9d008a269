package rules

import (
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var nameCharacters = &spec.Rule{
	ID:     "name-characters",
	Title:  "name holds only letters, digits and hyphens",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		const message = "Skill name '%s' contains invalid characters. "
		if f := p.Doc.Field("name"); f != nil && spec.HasText(f.Value) && frontmatter.HasPlaceholder(f.Value.Text) {
			p.Report(f.Value.Span, "fill the template in; the name is that of the folder",
				message+"It is a placeholder of a template", show(spec.Trim(f.Value.Text)))
			return
		}
		name, _, ok := comparedName(p)
		i := strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) })
		if !ok || i < 0 {
			return
		}
		bad, size := utf8.DecodeRuneInString(name[i:])
		from, to := strings.IndexRune(p.Doc.Field("name").Value.Text, bad), 0
		if from >= 0 {
			to = from + size
		}
		reportSpelling(p, from, to, message+"Only letters, digits, and hyphens are allowed; found %s", describeRune(bad))
	},
}
