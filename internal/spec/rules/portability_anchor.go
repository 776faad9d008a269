package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// checkAnchorOf reports a value that & gives a name. Where no alias uses the name, it
// may have been meant as text, which is lost.
func checkAnchorOf(p *spec.Pass, v spec.Value) {
	const refused = "the reference library refuses it, parsers that read line by line keep it as text"
	if v.Scalar() && v.Style == spec.Plain && !slices.ContainsFunc(p.Doc.Fields, func(f spec.Field) bool { return refersTo(f.Value, v.Anchor) }) {
		span := p.Doc.Lines().Span(v.Span.Start.Line, v.Span.Start.Column, v.Span.Start.Column+1+utf8.RuneCountInString(v.Anchor))
		p.Report(span, quoteHelp(p, v), "&%s before the text is an anchor, and no part of it: "+refused, show(v.Anchor))
		return
	}
	p.Report(v.Span, "write the text out", "anchor &%s: "+refused, show(v.Anchor))
}

// quoteHelp is the help for a value that starts with what YAML takes away.
func quoteHelp(p *spec.Pass, v spec.Value) string {
	first, _, _ := strings.Cut(p.Doc.At(v.Span), " ")
	return "quote the value: " + shorten(frontmatter.Quote(strings.Join(strings.Fields(first+" "+v.Text), " "))) + ", or delete " + show(first)
}

// refersTo reports whether a value is or holds an alias of an anchor.
func refersTo(v spec.Value, anchor string) bool {
	return v.Alias && v.Anchor == anchor ||
		slices.ContainsFunc(v.Items, func(item spec.Value) bool { return refersTo(item, anchor) }) ||
		slices.ContainsFunc(v.Fields, func(f spec.Field) bool { return refersTo(f.Value, anchor) })
}
