package spec

var compatibilityType = &Rule{
	ID:        "compatibility-type",
	Title:     "compatibility is a string",
	Level:     Error,
	Source:    `specification, "compatibility field"`,
	Reference: true,
	Check:     func(p *Pass) { p.wantString("compatibility", "Requires git and python3") },
}

// wantString reports a field that is a list or a mapping.
func (p *Pass) wantString(key, example string) {
	f := p.Doc.Field(key)
	if f == nil || f.Value.Scalar() {
		return
	}
	p.Report(f.Place(), "write it as text: "+key+": "+example,
		"Field '%s' must be a string, not %s", key, f.Value.Kind)
}
