package spec

var nameRequired = &Rule{
	ID:     "name-required",
	Title:  "name is there and is a non-empty string",
	Level:  Error,
	Source: `specification, "name field"`,
	Check:  func(p *Pass) { p.required("name", "my-skill") },
}

// required checks a field that every skill has.
func (p *Pass) required(key, example string) {
	f := p.Doc.Field(key)
	if f == nil {
		p.Report(Span{Pos{1, 1}, Pos{1, 4}}, "add a line such as "+key+": "+example,
			"Missing required field in frontmatter: %s", key)
		return
	}
	if hasText(f.Value) {
		return
	}
	what := ""
	switch {
	case !f.Value.Scalar():
		what = ", not " + f.Value.Kind.String()
	case f.Value.Kind == Null && f.Value.Text != "":
		what = "; " + quote(f.Value.Text) + " is null in YAML"
	}
	p.Report(f.place(), "write text after "+key+":, for example "+key+": "+example,
		"Field '%s' must be a non-empty string%s", key, what)
}
