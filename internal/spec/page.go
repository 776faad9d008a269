package spec

import (
	"skills/internal/markdown"
	"skills/internal/spec/tokens"
)

// Page returns the body parsed as Markdown. Parsing happens on the first call.
// Offsets are relative to the body; see BodySpan.
func (d *Document) Page() *markdown.Page {
	if d.page == nil {
		d.page = markdown.Parse(d.Source[len(d.Source)-len(d.Body):])
	}
	return d.page
}

// BodySpan converts two offsets in the body to a span of the file.
func (d *Document) BodySpan(start, end int) Span {
	return d.SourceSpan(d.Block().BodyStart+start, d.Block().BodyStart+end)
}

// SourceSpan converts two byte offsets in the file to a span.
func (d *Document) SourceSpan(start, end int) Span {
	x := d.Lines()
	return Span{Start: x.At(start), End: x.At(end)}
}

// BodyTokens returns the estimated number of tokens in the body, see
// [tokens.Estimate]. It is computed once.
func (d *Document) BodyTokens() int {
	if d.tokens == nil {
		n := tokens.Estimate(d.Body)
		d.tokens = &n
	}
	return *d.tokens
}
