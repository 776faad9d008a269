package rules

import (
	"fmt"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var scalarQuoting = &spec.Rule{
	ID:     "scalar-quoting",
	Title:  "text that YAML takes for something else is quoted",
	Level:  spec.Warning,
	Source: `specification, "Frontmatter": the fields are strings; YAML 1.1 and 1.2 read plain numbers, dates and words such as true as something else`,
	Fix:    "quotes the value",
	Check: func(p *spec.Pass) {
		for i := range p.Doc.Fields {
			f := &p.Doc.Fields[i]
			if f.Key != "metadata" {
				checkQuotes(p, f, f.Key)
				continue
			}
			if v := f.Value; v.Kind == spec.Null && v.Tag == "" && !v.Alias {
				p.Report(f.Place(), "write the keys below it, indented, or delete the line",
					"metadata is empty: some validators read null and refuse it, for it is no mapping")
			}
			for j := range f.Value.Fields {
				if p.Full() {
					return
				}
				m := &f.Value.Fields[j]
				checkQuotedKey(p, m)
				if m.Key == "internal" && m.Value.Kind == spec.Bool {
					continue // installers hide a skill only where this is no text
				}
				checkQuotes(p, m, "metadata value of "+quote(m.Key))
			}
		}
	},
}

// checkQuotes reports a text field whose plain value is no text to every
// parser.
func checkQuotes(p *spec.Pass, f *spec.Field, what string) {
	v := f.Value
	if what == f.Key && !isSpecField(f.Key) || v.Style != spec.Plain || v.Tag != "" || v.Alias || !v.Scalar() {
		return
	}
	if (f.Key == "name" || f.Key == "description") && what == f.Key && v.Kind == spec.Null {
		return // required fields: their own rules say so
	}
	switch read := misread(v); {
	case read == "":
	case v.Kind == spec.Null && v.Text == "":
		if what != f.Key { // an empty optional field is none, to every client
			p.Report(f.KeySpan, fmt.Sprintf(`write %s: "" or delete the line`, show(f.Key)),
				"%s is empty: some parsers read null, which is no text", what)
		}
	case v.Kind == spec.Null:
		p.Report(v.Span, fmt.Sprintf("delete the line, or write %s: %s if that is the text", show(f.Key), frontmatter.Quote(v.Text)),
			"%s is plain %s: some parsers read %s, others text", what, show(v.Text), read)
	default:
		p.ReportFix(v.Span, p.Doc.Requote(v, v.Text, "quote the value"),
			fmt.Sprintf("write %s: %s", show(f.Key), shorten(frontmatter.Quote(v.Text))),
			"%s is plain %s: some parsers read %s, others text", what, show(v.Text), read)
	}
}

// checkQuotedKey reports a key of metadata that is no text to every parser.
func checkQuotedKey(p *spec.Pass, f *spec.Field) {
	quoted := f.KeySpan.End.Column-f.KeySpan.Start.Column != utf8.RuneCountInString(f.Key)
	if quoted || !mayMisread(f.Key) {
		return
	}
	read := misread(spec.Value{Kind: frontmatter.PlainKind(f.Key), Text: f.Key})
	if read == "" || p.Doc.At(f.KeySpan) != f.Key {
		return
	}
	p.ReportFix(f.KeySpan,
		&spec.Fix{Description: "quote the key", Edits: []spec.Edit{p.Doc.Edit(f.KeySpan, frontmatter.Quote(f.Key))}},
		"write "+frontmatter.Quote(f.Key)+":",
		"metadata key is plain %s: some parsers read %s, others text", show(f.Key), read)
}
