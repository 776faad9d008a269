package spec

// What the specification recommends of a SKILL.md.
const (
	bodyLines  = 500
	bodyTokens = 5000
)

var bodyLength = &Rule{
	ID:     "body-length",
	Title:  "SKILL.md is at most 500 lines and 5000 tokens long",
	Level:  Warning,
	Source: "specification, progressive disclosure: under 500 lines, fewer than 5000 tokens recommended",
	Check: func(p *Pass) {
		const help = "move what is not always needed to files of its own under references/, and say when to read them"
		x := p.Doc.lines()
		if n := x.count(); n > bodyLines {
			p.Report(x.line(bodyLines+1), help, "SKILL.md has %d lines, more than the recommended %d", n, bodyLines)
		}
		// Every token takes a byte at least: most bodies are not measured.
		if len(p.Doc.Body) <= bodyTokens {
			return
		}
		if n := p.Doc.BodyTokens(); n > bodyTokens {
			p.Report(x.line(p.Doc.BodyLine), help, "the body is about %d tokens long, more than the recommended %d; this is an estimate, usually within 10 %%",
				n, bodyTokens)
		}
	},
}
