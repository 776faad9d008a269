package rules

import (
	"unicode/utf16"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var descriptionPortability = &spec.Rule{
	ID:     "description-portability",
	Title:  "description is accepted by every known client",
	Level:  spec.Warning,
	Source: "clients' loaders, which count bytes, UTF-16 units or white space; the vendors' upload checks, which refuse tags",
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("description")
		if f == nil || !spec.HasText(f.Value) {
			return
		}
		text := spec.Trim(f.Value.Text)
		if utf8.RuneCountInString(text) <= maxDescription {
			checkOtherCounts(p, f, text)
		}
		if at := xmlTag().FindStringIndex(f.Value.Text); at != nil {
			tag := f.Value.Text[at[0]:at[1]]
			p.Report(p.Doc.Within(f, at[0], at[1]), "write it without < and >, for example in capitals",
				"%s in the description looks like a tag: the vendors' upload checks refuse it", printable.Quote(tag))
		}
	},
}

// checkOtherCounts reports a description that is too long only as some clients
// count characters.
func checkOtherCounts(p *spec.Pass, f *spec.Field, text string) {
	switch whole := utf8.RuneCountInString(f.Value.Text); {
	case len(text) > maxDescription:
		p.Report(f.Value.Span, "shorten it if the skill is for those clients too",
			"the description has %d characters, but %d UTF-16 units and %d bytes: clients that count those (pi, Crush, Google ADK, Microsoft Agent Framework for Go and others) take at most 1024",
			utf8.RuneCountInString(text), len(utf16.Encode([]rune(text))), len(text))
	case whole > maxDescription:
		p.Report(f.Value.Span, "delete the white space around the text, or write |- or >- instead of | or >",
			"the description has %d characters with the white space around it: the reference library, Crush and others count that and take at most 1024", whole)
	}
}

// xmlTag matches text that looks like an XML tag: <name>, </name>, <!-- -->,
// but not a -> b, x < y or <3.
var xmlTag = lazyregexp.New(`<(?:[/!?-]{0,3}[A-Za-z]|!--)[^<>]*>`)
