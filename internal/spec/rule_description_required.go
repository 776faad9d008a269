package spec

var descriptionRequired = &Rule{
	ID:     "description-required",
	Title:  "description is there and is a non-empty string",
	Level:  Error,
	Source: `specification, "description field"`,
	Check: func(p *Pass) {
		p.required("description", "Extracts text from PDF files. Use when a task names a PDF.")
	},
}
