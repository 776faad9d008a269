package spec

import (
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec/frontmatter"
)

// checkReference gives the reference library's verdict: what it reports, and
// nothing else. Every message is an error, under the id of the rule that looks
// at the same thing.
func checkReference(d *Document, rules []*Rule) []Diagnostic {
	fields, fault := readReference(d)
	var out []Diagnostic
	if fault != nil {
		return append(out, Diagnostic{Rule: fault.Rule, Level: Error, Path: d.Path, Span: fault.Span, Message: fault.Message, Help: fault.Help})
	}
	// The rules run on the library's reading; its positions are our own where
	// both see the same field.
	read := &Document{Path: d.Path, Dir: d.Dir, Content: frontmatter.Content{Source: d.Source, Mapping: true, Fields: fields}}
	own := map[string]*Field{}
	for i := range d.Fields {
		own[d.Fields[i].Key] = &d.Fields[i]
	}
	for i := range read.Fields {
		if f := own[read.Fields[i].Key]; f != nil {
			read.Fields[i].KeySpan = f.KeySpan
			read.Fields[i].Value.Span, read.Fields[i].Value.Style = f.Value.Span, f.Value.Style
		}
	}
	for _, rule := range rules {
		if rule.Reference {
			rule.Check(&Pass{Doc: read, rule: rule, level: Error, out: &out})
		}
	}
	for _, check := range []func(*Pass){referenceFields, referenceLengths} {
		check(&Pass{Doc: read, level: Error, out: &out})
	}
	return Sort(out)
}

func referenceFields(p *Pass) {
	p.rule = &Rule{ID: "field-unknown"}
	var unknown []string
	var span Span
	for _, f := range p.Doc.Fields {
		if !isSpecField(f.Key) {
			if len(unknown) == 0 {
				span = f.KeySpan
			}
			unknown = append(unknown, show(f.Key))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		if len(unknown) > maxFaults {
			unknown = append(unknown[:maxFaults], "and more")
		}
		p.Report(span, "put them under metadata, or delete them",
			"Unexpected fields in frontmatter: %s. Only ['%s'] are allowed.",
			strings.Join(unknown, ", "), strings.Join(SpecFields(), "', '"))
	}
}

// referenceLengths counts as the library does: with the white space around the
// text, and no lower limit for compatibility.
func referenceLengths(p *Pass) {
	if f := p.Doc.Field("description"); f != nil && hasText(f.Value) {
		p.rule = &Rule{ID: "description-length"}
		if n := utf8.RuneCountInString(f.Value.Text); n > 1024 {
			p.Report(f.Value.Span, "shorten it", "Description exceeds 1024 character limit (%d chars)", n)
		}
	}
	if f := p.Doc.Field("compatibility"); f != nil && f.Value.Scalar() {
		p.rule = &Rule{ID: "compatibility-length"}
		if n := utf8.RuneCountInString(f.Value.Text); n > 500 {
			p.Report(f.Value.Span, "shorten it", "Compatibility exceeds 500 character limit (%d chars)", n)
		}
	}
}
