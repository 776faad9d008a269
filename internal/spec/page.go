package spec

import "skills/internal/markdown"

// Page returns the body as Markdown, parsed when it is first asked for. Its
// offsets count from the body's start; see BodySpan.
func (d *Document) Page() *markdown.Page {
	if d.page == nil {
		d.page = markdown.Parse(d.Source[len(d.Source)-len(d.Body):])
	}
	return d.page
}

// BodySpan returns the place in the file of two offsets in the body.
func (d *Document) BodySpan(start, end int) Span {
	return d.SourceSpan(d.block.BodyStart+start, d.block.BodyStart+end)
}

// SourceSpan returns the place in the file of two byte offsets.
func (d *Document) SourceSpan(start, end int) Span {
	x := d.lines()
	return Span{x.at(start), x.at(end)}
}
