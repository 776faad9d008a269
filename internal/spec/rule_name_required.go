package spec

var nameRequired = &Rule{
	ID:        "name-required",
	Title:     "name is there and is a non-empty string",
	Level:     Error,
	Source:    `specification, "name field"`,
	Reference: true,
	Check:     func(p *Pass) { p.required("name") },
}

func (p *Pass) required(key string) {
	if f := p.Doc.Required(key); f != nil {
		p.Report(f.Span, f.Help, "%s", f.Message)
	}
}
