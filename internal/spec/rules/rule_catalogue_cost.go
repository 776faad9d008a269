package rules

import (
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

// maxCatalogue is the most tokens that a skill's entry in the catalogue should
// cost. The specification reckons with about 100. Twice that is what 1024
// characters of English come to at most, so an English description that keeps
// its limit hardly ever gets there, and one in a script with more tokens a
// character is told in time. It is also a tenth of what Claude Code sets aside
// for the entries of all skills together (about 1 % of the context, 2,000
// tokens), beyond which it shortens them.
const maxCatalogue = 200

var catalogueCost = &spec.Rule{
	ID:     "catalogue-cost",
	Title:  "name and description cost at most about 200 tokens in every request",
	Level:  spec.Info,
	Source: `specification, "Progressive disclosure": about 100 tokens; clients' budgets for the catalogue`,
	Check: func(p *spec.Pass) {
		name, f := p.Doc.Field("name"), p.Doc.Field("description")
		if name == nil || f == nil || !spec.HasText(f.Value) {
			return
		}
		// No text has more tokens than bytes.
		text := spec.Trim(f.Value.Text)
		if len(name.Value.Text)+len(text) <= maxCatalogue {
			return
		}
		if n := tokens.Estimate(strings.Join([]string{spec.Trim(name.Value.Text), text}, "\n")); n > maxCatalogue {
			p.Report(f.Value.Span, "keep what helps to choose the skill, and move the rest into the body",
				"name and description cost about %d tokens in every request, whether or not the skill is used; clients shorten or drop what does not fit", n)
		}
	},
}
