package rules

import "skills/internal/spec"

var nameRequired = &spec.Rule{
	ID:     "name-required",
	Title:  "name is there and is a non-empty string",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Check:  func(p *spec.Pass) { requireText(p, "name", "my-skill") },
}

// requireText reports the fault of a field that every skill has to have.
func requireText(p *spec.Pass, key, example string) {
	if f := p.Doc.RequireText(key, example); f != nil {
		p.Report(f.Span, f.Help, "%s", f.Message)
	}
}
