package spec

var descriptionRequired = &Rule{
	ID:        "description-required",
	Title:     "description is there and is a non-empty string",
	Level:     Error,
	Source:    `specification, "description field"`,
	Reference: true,
	Check:     func(p *Pass) { p.required("description") },
}
