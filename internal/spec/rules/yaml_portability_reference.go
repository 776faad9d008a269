package rules

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/strictyaml"
)

// maxTabs bounds the tabs that are reported of one frontmatter: each needs a parser
// run.
const maxTabs = 10

// checkRefused reports the rest of what the reference library refuses: tabs beside
// values, mappings with another indentation.
func checkRefused(p *spec.Pass) {
	d := p.Doc
	head := bytes.Clone(d.Source[:d.Block().End])
	for range maxTabs {
		text := strings.ReplaceAll(string(head[len("---"):]), "\r\n", "\n")
		_, err := strictyaml.Parse(text, len("---"))
		var at *strictyaml.Error
		if !errors.As(err, &at) {
			return
		}
		switch at.Reason {
		case strictyaml.FlowStyle, strictyaml.Duplicate, strictyaml.ComplexKey:
			return // reported as an error
		}
		span := at.Span
		offset := d.Lines().Offset(span.Start)
		if offset >= len(head) || head[offset] != '\t' {
			if !hasOtherFields(p) {
				p.Report(span, "the specification does not require it, but other tools build on this library",
					"valid YAML that the reference library does not read: %s", strings.TrimSuffix(at.Message, ", which the reference library refuses"))
			}
			return
		}
		end := len(head) - len(bytes.TrimLeft(head[offset:], " \t"))
		fix, where, help := tabFix(d, offset, end), "beside a value", "write a space instead"
		switch {
		case strings.TrimSpace(d.Line(span.Start.Line)) == "":
			where, help = "on a blank line", "delete it"
		case fix == nil:
			where = "inside a plain value"
		}
		p.ReportFix(d.SourceSpan(offset, end), fix, help,
			"a tab %s: the reference library and the vendors' upload checks refuse the file", where)
		for ; offset < end; offset++ {
			head[offset] = ' '
		}
	}
}

// hasOtherFields reports whether the frontmatter has fields that the reference library
// refuses anyway.
func hasOtherFields(p *spec.Pass) bool {
	return slices.ContainsFunc(p.Doc.Fields, func(f spec.Field) bool { return !isSpecField(f.Key) })
}

// tabFix replaces blanks around a value. It is nil inside a value, where they are
// text.
func tabFix(d *spec.Document, start, end int) *spec.Fix {
	line := d.Lines().At(start).Line
	text := d.Lines().Text(line)
	from := d.Lines().Starts[line-1]
	before := bytes.TrimRight(text[:start-from], " \t")
	after := bytes.TrimLeft(text[end-from:], " \t")
	fix := spec.Fix{Description: "replace the tab", Edits: []spec.Edit{{Start: start, End: end, Text: " "}}}
	switch {
	case len(after) == 0:
		fix.Description, fix.Edits[0].Text = "delete the tab", ""
	case after[0] == '#', bytes.HasSuffix(before, []byte(":")) && bytes.IndexByte(before, ':') == len(before)-1:
	default:
		return nil
	}
	return &fix
}
