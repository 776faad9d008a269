package spec

// edit replaces what stands at a span of the document.
func (d *Document) edit(span Span, text string) Edit {
	x := d.lines()
	return Edit{Start: x.offset(span.Start), End: x.offset(span.End), Text: text}
}

// at returns what stands at a span of the document.
func (d *Document) at(span Span) string {
	x := d.lines()
	return string(d.Source[x.offset(span.Start):max(x.offset(span.Start), x.offset(span.End))])
}

// requote returns the change that puts a plain or quoted scalar's new text in
// its place in double or single quotes, nil where the scalar does not stand
// on one line as it reads.
func (d *Document) requote(v Value, text, description string) *Fix {
	if v.Alias || v.Anchor != "" || v.Tag != "" || !d.verbatim(v) {
		return nil
	}
	return &Fix{Description: description, Edits: []Edit{d.edit(v.Span, quoteYAML(text))}}
}

// verbatim reports whether a scalar stands on one line as it reads, apart from
// its quotes.
func (d *Document) verbatim(v Value) bool {
	text := d.at(v.Span)
	switch v.Style {
	case Plain:
		return text == v.Text
	case SingleQuoted:
		return text == "'"+v.Text+"'"
	case DoubleQuoted:
		return text == `"`+v.Text+`"`
	}
	return false
}
