package rules

import (
	"strings"

	"skills/internal/spec"
)

var bodyEmpty = &spec.Rule{
	ID:     "body-empty",
	Title:  "there are instructions below the frontmatter",
	Level:  spec.Info,
	Source: "specification, body content: the body holds the skill's instructions",
	Check: func(p *spec.Pass) {
		if p.Doc.BodyLine > 0 && strings.TrimSpace(p.Doc.Body) == "" {
			p.Report(p.Doc.Lines().Line(p.Doc.BodyLine-1), "say how to do the task: an agent that loads the skill gets nothing else",
				"nothing follows the frontmatter")
		}
	},
}
