package rules

import (
	"unicode/utf8"

	"skills/internal/spec"
)

var descriptionRequired = &spec.Rule{
	ID:     "description-required",
	Title:  "description is present and a non-empty string",
	Level:  spec.Error,
	Source: `specification, "description field"`,
	Check: func(p *spec.Pass) {
		requireText(p, "description", "Extracts text from PDF files. Use when a task names a PDF.")
	},
}

const maxDescription = 1024

var descriptionLength = &spec.Rule{
	ID:     "description-length",
	Title:  "description has at most 1024 characters",
	Level:  spec.Error,
	Source: `specification, "description field"; white space around it is not counted`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("description")
		if f == nil || !spec.HasText(f.Value) {
			return
		}
		if n := utf8.RuneCountInString(spec.Trim(f.Value.Text)); n > maxDescription {
			p.Report(f.Value.Span, "shorten it; details belong in the body",
				"Description exceeds 1024 character limit (%d chars)", n)
		}
	},
}
