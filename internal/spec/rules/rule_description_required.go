package rules

import "skills/internal/spec"

var descriptionRequired = &spec.Rule{
	ID:     "description-required",
	Title:  "description is there and is a non-empty string",
	Level:  spec.Error,
	Source: `specification, "description field"`,
	Check: func(p *spec.Pass) {
		requireText(p, "description", "Extracts text from PDF files. Use when a task names a PDF.")
	},
}
