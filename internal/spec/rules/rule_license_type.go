package rules

import "skills/internal/spec"

var licenseType = &spec.Rule{
	ID:     "license-type",
	Title:  "license is a string",
	Level:  spec.Error,
	Source: `specification, "license field"`,
	Check:  func(p *spec.Pass) { checkString(p, "license", "Apache-2.0") },
}
