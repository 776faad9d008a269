package rules

import (
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/prompts"
)

var scriptInteractive = &spec.Rule{
	ID:     "script-interactive",
	Title:  "scripts do not wait for user input",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: no interactive prompts",
	Check: func(p *spec.Pass) {
		for t, language := range scripts(p.Doc) {
			found := prompts.Find(language, t.src)
			if len(found) == 0 {
				continue
			}
			first := found[0]
			t.report(p, first.Start, first.End, "take the answer as an argument, or ask only where standard input is a terminal: no one can type when an agent runs it",
				"%s waits for a person to type%s", printable.Quote(string(t.src[first.Start:first.End])), andMore(len(found), "line"))
		}
	},
}
