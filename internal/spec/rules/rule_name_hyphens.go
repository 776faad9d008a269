package rules

import (
	"strings"

	"skills/internal/spec"
)

var nameHyphens = &spec.Rule{
	ID:     "name-hyphens",
	Title:  "name has no hyphen at an end and no two in a row",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		name, _, ok := comparedName(p)
		if !ok {
			return
		}
		text := p.Doc.Field("name").Value.Text
		if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
			from, to := hyphens(text, max(strings.IndexFunc(text, isWritten), 0))
			if to == 0 {
				end := strings.TrimRightFunc(text, func(r rune) bool { return !isWritten(r) })
				from, to = hyphens(text, len(strings.TrimRight(end, "-")))
			}
			reportSpelling(p, from, to, "Skill name cannot start or end with a hyphen: '%s'")
		}
		if strings.Contains(name, "--") {
			from, to := hyphens(text, max(strings.Index(text, "--"), 0))
			reportSpelling(p, from, to, "Skill name cannot contain consecutive hyphens: '%s'")
		}
	},
}

// hyphens returns where the hyphens that start at a byte of a text end, to 0
// where there are none.
func hyphens(text string, at int) (from, to int) {
	n := len(text[at:]) - len(strings.TrimLeft(text[at:], "-"))
	if n == 0 {
		return 0, 0
	}
	return at, at + n
}

// isWritten reports what trim leaves at the ends of a name.
func isWritten(r rune) bool { return spec.Trim(string(r)) != "" }
