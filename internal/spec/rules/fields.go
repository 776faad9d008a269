package rules

// A field is the specification's, a known client's (package clients), or unknown. A
// client's field is correct for that client and does nothing elsewhere, so its level
// depends on the clients that the user has named.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/suggest"
)

var fieldUnknown = &spec.Rule{
	ID:     "field-unknown",
	Title:  "top-level fields are the specification's or a known client's",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"; the reference library accepts no other field`,
	Join: func(places []spec.Place) string {
		const most = 12
		documented := map[string]bool{}
		var known strings.Builder
		for _, place := range places {
			if _, text, ok := strings.Cut(strings.TrimSuffix(place.Message, spec.More), "; "); ok && !documented[text] {
				documented[text] = true
				known.WriteString("; " + text)
			}
		}
		names := subjects(places)
		list := listed(names)
		if len(names) > most {
			list = printable.List(names, most)
		}
		return fmt.Sprintf("Unexpected fields in frontmatter: %s are outside the specification%s", list, known.String())
	},
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			if isSpecField(f.Key) || len(readers(f.Key)) > 0 {
				continue
			}
			help, group := fmt.Sprintf("put it under metadata, as text, or delete it; the fields are %s", listed(SpecFields())), "metadata"
			if known := nearestField(f); known != "" {
				help, group = fmt.Sprintf("did you mean %s? Otherwise put it under metadata", known), known
			}
			p.Report(f.KeySpan, help, "Unexpected fields in frontmatter: %s is outside the specification%s", printable.Quote(f.Key), documenting(f.Key)).
				In(group, printable.Quote(f.Key))
		}
	},
}

var fieldClient = &spec.Rule{
	ID:     "field-client",
	Title:  "no fields that only some clients read",
	Level:  spec.Warning,
	Source: "clients' documentation; the specification has six fields",
	Varies: func(o spec.Options) bool { return len(o.Clients) > 0 },
	Join: func(places []spec.Place) string {
		fields := subjects(places)
		_, by, _ := strings.Cut(places[0].Message, " is read ")
		return fmt.Sprintf("fields %s are read %s", listed(fields), by)
	},
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			if isSpecField(f.Key) {
				continue
			}
			by := readers(f.Key)
			if len(by) == 0 || accepted(by, p.Clients) {
				continue
			}
			var titles []string
			for _, c := range by {
				titles = append(titles, c.Title)
			}
			p.Report(f.KeySpan,
				fmt.Sprintf("accept it with --client %s, or delete it for a skill that works everywhere", by[0].ID),
				"field %s is read only by %s", printable.Quote(f.Key), listed(titles)).In(listed(titles), printable.Quote(f.Key))
		}
	},
}

// SpecFields returns the six fields of the specification, sorted.
func SpecFields() []string {
	return []string{"allowed-tools", "compatibility", "description", "license", "metadata", "name"}
}

func isSpecField(key string) bool { return slices.Contains(SpecFields(), key) }

// readers returns the clients that read a field.
func readers(field string) []clients.Client {
	return slices.DeleteFunc(clients.All(), func(c clients.Client) bool { return !slices.Contains(c.Fields, field) })
}

// documentedBy returns the client whose documentation puts this mapping under
// metadata, or nil.
func documentedBy(m spec.Field) *clients.Client {
	for _, c := range clients.All() {
		if m.Value.Kind == spec.Mapping && slices.Contains(c.Metadata, m.Key) {
			return &c
		}
	}
	return nil
}

// documenting says which clients document a field that the specification has metadata
// for, or "".
func documenting(field string) string {
	var titles []string
	for _, c := range clients.All() {
		if slices.Contains(c.Documented, field) {
			titles = append(titles, c.Title)
		}
	}
	switch len(titles) {
	case 0:
		return ""
	case 1:
		return "; " + titles[0] + " documents " + field
	}
	return "; " + listed(titles) + " document " + field
}

// nearestField returns the field that an unknown key probably means, or "". A list
// or a mapping is not the value of a text field.
func nearestField(f spec.Field) string {
	fields := SpecFields()
	for _, c := range clients.All() {
		fields = append(fields, c.Fields...)
	}
	if !f.Value.Scalar() {
		fields = []string{"allowed-tools", "metadata", "arguments", "disallowed-tools", "hooks", "paths", "triggers"}
	}
	return suggest.Nearest(f.Key, fields)
}

// accepted reports whether one of the readers is an accepted client.
func accepted(readers []clients.Client, wanted []string) bool {
	return slices.ContainsFunc(readers, func(c clients.Client) bool { return slices.Contains(wanted, c.ID) })
}

// listed joins words as in a sentence: a, b and c.
func listed(words []string) string { return joined(words, " and ") }

// joined joins words by commas, and the last one by another word.
func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

var compatibilityType = &spec.Rule{
	ID:     "compatibility-type",
	Title:  "compatibility is a string",
	Level:  spec.Error,
	Source: `specification, "compatibility field"`,
	Check:  func(p *spec.Pass) { checkString(p, "compatibility", "Requires git and python3") },
}

// checkString reports a field that is a list or a mapping.
func checkString(p *spec.Pass, key, example string) {
	f := p.Doc.Field(key)
	if f == nil || f.Value.Scalar() {
		return
	}
	p.Report(f.Place(), "write it as text: "+key+": "+example,
		"Field '%s' must be a string, not %s", key, f.Value.Kind)
}

var compatibilityLength = &spec.Rule{
	ID:     "compatibility-length",
	Title:  fmt.Sprintf("compatibility has 1 to %d characters", spec.MaxCompatibility),
	Level:  spec.Error,
	Source: `specification, "compatibility field"; white space around it is not counted`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("compatibility")
		if f == nil || !f.Value.Scalar() || f.Value.Kind == spec.Null {
			return
		}
		if spec.Trim(f.Value.Text) == "" {
			p.Report(f.Value.Span, "say what the skill needs, or delete the field",
				"Compatibility must have 1 to %d characters; it is empty", spec.MaxCompatibility)
		}
		checkLength(p, "compatibility", spec.MaxCompatibility, spec.Trim)
	},
}

var metadataType = &spec.Rule{
	ID:     "metadata-type",
	Title:  "metadata is a mapping",
	Level:  spec.Error,
	Source: `specification, "metadata field"`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("metadata")
		if f == nil || f.Value.Kind == spec.Mapping || f.Value.Kind == spec.Null {
			return
		}
		p.Report(f.Place(), "indent keys under it, one a line: author: example-org",
			"Field 'metadata' must be a mapping of keys to text, not %s", f.Value.Kind)
	},
}

var metadataValues = &spec.Rule{
	ID:     "metadata-values",
	Title:  "the values of metadata are strings",
	Level:  spec.Error,
	Source: `specification, "metadata field": a map from string keys to string values`,
	Join: func(places []spec.Place) string {
		return "metadata values must be strings: " + listed(subjects(places))
	},
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("metadata")
		if f == nil {
			return
		}
		for _, m := range f.Value.Fields {
			if !m.Value.Scalar() && documentedBy(m) == nil {
				p.Report(m.Place(), "write it as text, for example "+printable.Quoted(m.Key)+": \"a, b\"",
					"metadata value of %s must be a string, not %s", printable.Quote(m.Key), m.Value.Kind).
					In("values", fmt.Sprintf("%s is %s", printable.Quote(m.Key), m.Value.Kind))
			}
		}
	},
}
