package spec

import (
	"skills/internal/markdown"
	"skills/internal/spec/tokens"
)

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
	return d.SourceSpan(d.Block().BodyStart+start, d.Block().BodyStart+end)
}

// SourceSpan returns the place in the file of two byte offsets.
func (d *Document) SourceSpan(start, end int) Span {
	x := d.Lines()
	return Span{Start: x.At(start), End: x.At(end)}
}

// BodyTokens is about how many tokens the body costs a model, see
// [tokens.Estimate]. It is counted once.
func (d *Document) BodyTokens() int {
	if d.tokens == nil {
		n := tokens.Estimate(d.Body)
		d.tokens = &n
	}
	return *d.tokens
}
