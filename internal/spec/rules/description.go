package rules

import (
	"strings"
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
	Check:  func(p *spec.Pass) { checkLength(p, "description", maxDescription, spec.Trim) },
}

// checkLength reports a text that has more than most characters after trim.
func checkLength(p *spec.Pass, key string, most int, trim func(string) string) {
	f := p.Doc.Field(key)
	if f == nil || !spec.HasText(f.Value) {
		return
	}
	if n := utf8.RuneCountInString(trim(f.Value.Text)); n > most {
		p.Report(f.Value.Span, "shorten it; details belong in the body",
			"%s exceeds %d character limit (%d chars)", strings.ToUpper(key[:1])+key[1:], most, n)
	}
}
