package spec

var licenseType = &Rule{
	ID:     "license-type",
	Title:  "license is a string",
	Level:  Error,
	Source: `specification, "license field"`,
	Check:  func(p *Pass) { p.wantString("license", "Apache-2.0") },
}
