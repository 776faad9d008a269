package rules

import "skills/internal/spec"

// What the specification recommends of a SKILL.md.
const (
	bodyLines  = 500
	bodyTokens = 5000
)

var bodyLength = &spec.Rule{
	ID:     "body-length",
	Title:  "SKILL.md is at most 500 lines and 5000 tokens long",
	Level:  spec.Warning,
	Source: "specification, progressive disclosure: under 500 lines, fewer than 5000 tokens recommended",
	Check: func(p *spec.Pass) {
		const help = "move what is not always needed to files of its own under references/, and say when to read them"
		x := p.Doc.Lines()
		lines, tokens := x.Count(), p.Doc.BodyTokens()
		switch long := tokens > bodyTokens; {
		case lines > bodyLines && long:
			p.Report(x.Line(bodyLines+1), help, "SKILL.md has %d lines and a body of about %d tokens (an estimate, usually within 10 %%), more than the recommended %d and %d",
				lines, tokens, bodyLines, bodyTokens)
		case lines > bodyLines:
			p.Report(x.Line(bodyLines+1), help, "SKILL.md has %d lines, more than the recommended %d", lines, bodyLines)
		case long && tokens <= bodyTokens*11/10:
			p.Report(x.Line(p.Doc.BodyLine), help, "the body is about %d tokens long, at the limit of the recommended %d; this is an estimate, usually within 10 %%: it may be less",
				tokens, bodyTokens)
		case long:
			p.Report(x.Line(p.Doc.BodyLine), help, "the body is about %d tokens long, more than the recommended %d; this is an estimate, usually within 10 %%",
				tokens, bodyTokens)
		}
	},
}
