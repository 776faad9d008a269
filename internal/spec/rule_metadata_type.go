package spec

import "strings"

var metadataType = &Rule{
	ID:     "metadata-type",
	Title:  "metadata is a mapping",
	Level:  Error,
	Source: `specification, "metadata field"`,
	Check: func(p *Pass) {
		f := p.Doc.Field("metadata")
		if f == nil || f.Value.Kind == Mapping || f.Value.Kind == Null {
			return
		}
		const message = "Field 'metadata' must be a mapping of keys to text, not %s"
		if c, ok := p.Doc.gluedKeys(f); ok {
			p.Report(p.Doc.lines().span(c.line, c.from, c.to), c.help, message+"; "+c.message, f.Value.Kind)
			return
		}
		p.Report(f.place(), "indent keys under it, one a line: author: example-org",
			message, f.Value.Kind)
	},
}

// gluedKeys finds lines below a field none of which has a space after its colon:
// to YAML they are one text.
func (d *Document) gluedKeys(f *Field) (first cause, ok bool) {
	v := f.Value
	if v.Kind != String || v.Style != Plain || v.Span.Start.Line == f.KeySpan.Start.Line {
		return cause{}, false
	}
	for n := v.Span.Start.Line; n < d.BodyLine-1; n++ {
		line := d.Line(n)
		if bare := strings.TrimLeft(line, " "); bare == line || bare == "" {
			break
		}
		c, glued := noSpaceAfterColon(line)
		if !glued {
			return cause{}, false
		}
		if !ok {
			first, ok = c, true
			first.line = n
		}
	}
	return first, ok
}
