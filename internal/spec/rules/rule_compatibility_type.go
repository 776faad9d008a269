package rules

import "skills/internal/spec"

var compatibilityType = &spec.Rule{
	ID:     "compatibility-type",
	Title:  "compatibility is a string",
	Level:  spec.Error,
	Source: `specification, "compatibility field"`,
	Check:  func(p *spec.Pass) { checkString(p, "compatibility", "Requires git and python3") },
}

// checkString reports a field that is a list or a mapping.
func checkString(p *spec.Pass, key, example string) {
	f := p.Doc.Field(key)
	if f == nil || f.Value.Scalar() {
		return
	}
	p.Report(f.Place(), "write it as text: "+key+": "+example,
		"Field '%s' must be a string, not %s", key, f.Value.Kind)
}
