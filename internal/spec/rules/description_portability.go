package rules

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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
		if from, to, ok := findTag(f.Value.Text); ok {
			tag := f.Value.Text[from:to]
			p.Report(p.Doc.Within(f, from, to), "write it without < and >, for example in capitals",
				"%s in the description looks like a tag: the vendors' upload checks refuse it", printable.Quote(tag))
		}
	},
}

// checkOtherCounts reports a description that is too long only by the count of some
// clients.
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

// findTag finds text that looks like an XML tag, as byte offsets: <name>, </name>,
// <!-- -->, but not a -> b, x < y or <3.
func findTag(s string) (from, to int, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '<' {
			continue
		}
		rest := strings.TrimLeft(s[i+1:], "/!?-")
		if len(s[i+1:])-len(rest) > 3 || rest == "" || !isASCIILetter(rest[0]) && !strings.HasPrefix(s[i:], "<!--") {
			continue
		}
		if end := strings.IndexAny(s[i+1:], "<>"); end >= 0 && s[i+1+end] == '>' {
			return i, i + end + 2, true
		}
	}
	return 0, 0, false
}
