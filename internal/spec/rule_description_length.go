package spec

import "unicode/utf8"

const maxDescription = 1024

var descriptionLength = &Rule{
	ID:     "description-length",
	Title:  "description has at most 1024 characters",
	Level:  Error,
	Source: `specification, "description field"; white space around it is not counted`,
	Check: func(p *Pass) {
		f := p.Doc.Field("description")
		if f == nil || !hasText(f.Value) {
			return
		}
		if n := utf8.RuneCountInString(trim(f.Value.Text)); n > maxDescription {
			p.Report(f.Value.Span, "shorten it; details belong in the body",
				"Description exceeds 1024 character limit (%d chars)", n)
		}
	},
}
