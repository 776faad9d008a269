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

const maxCompatibility = 500

var compatibilityLength = &spec.Rule{
	ID:     "compatibility-length",
	Title:  "compatibility has 1 to 500 characters",
	Level:  spec.Error,
	Source: `specification, "compatibility field"; white space around it is not counted`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("compatibility")
		if f == nil || !f.Value.Scalar() || f.Value.Kind == spec.Null {
			return
		}
		if spec.Trim(f.Value.Text) == "" {
			p.Report(f.Value.Span, "say what the skill needs, or delete the field",
				"Compatibility must have 1 to 500 characters; it is empty")
		}
		checkLength(p, "compatibility", maxCompatibility, spec.Trim)
	},
}
