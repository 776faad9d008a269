package rules

import (
	"strings"
	"unicode"
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
		if !strings.ContainsFunc(text, isVisible) {
			p.Report(f.Place(), "write what the skill does and when to use it",
				"the description has only invisible characters: %s", printable.Quote(text))
			return
		}
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
	units := 0
	for _, r := range text {
		units++
		if r > 0xFFFF {
			units++
		}
	}
	switch whole := utf8.RuneCountInString(f.Value.Text); {
	case units > maxDescription:
		p.Report(f.Value.Span, "shorten it if the skill is for those clients too",
			"the description has %d characters, but %d UTF-16 units and %d bytes: clients that count those (pi, Crush, Google ADK and others) take at most 1024",
			utf8.RuneCountInString(text), units, len(text))
	case len(text) > maxDescription:
		p.Report(f.Value.Span, "shorten it if the skill is for those clients too",
			"the description has %d characters, but %d bytes: clients that count bytes (Crush, Google ADK, Microsoft Agent Framework for Go) take at most 1024",
			utf8.RuneCountInString(text), len(text))
	case whole > maxDescription:
		p.Report(f.Value.Span, "delete the white space around the text, or write |- or >- instead of | or >",
			"the description has %d characters with the white space around it: the reference library, Crush and others count that and take at most 1024", whole)
	}
}

// isVisible reports whether r is visible on a screen.
func isVisible(r rune) bool {
	return !unicode.IsSpace(r) && !printable.Invisible(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.Is(unicode.Variation_Selector, r)
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
