package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// builder makes a page of a parsed text.
type builder struct {
	src     []byte
	page    *Page
	meter   *meter
	slugs   map[string]int
	defs    map[definition]Stretch // where the destination of the first of its kind stands
	pending []reference            // links whose definition may follow

	headings  []headingLine // those that were taken before the parser, and are not numbered yet
	stretches []Stretch     // of which Code.Lines are parts
}

// definition is what a reference link must agree in with its definition.
type definition struct{ label, target string }

type reference struct {
	definition
	kind LinkKind
	pos  int // of the link itself
}

func (b *builder) walk(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		b.heading(n)
	case *ast.FencedCodeBlock:
		b.codeBlock(n, string(n.Language(b.src)))
		return
	case *ast.CodeBlock:
		b.codeBlock(n, "")
		return
	case *ast.CodeSpan:
		b.codeSpan(n)
		return
	case *ast.HTMLBlock:
		b.htmlBlock(n)
		return
	case *ast.RawHTML:
		b.html(join(b.src, n.Segments))
		return
	case *ast.LinkReferenceDefinition:
		b.define(n)
		return
	case *ast.AutoLink:
		start := n.Pos() + 1
		b.link(Auto, n.Label(b.src), start, start+len(n.Label(b.src)))
		return
	case *ast.Link:
		b.markdownLink(n, Inline, n.Destination, n.Reference)
	case *ast.Image:
		b.markdownLink(n, Image, n.Destination, n.Reference)
	case *ast.Text:
		b.prose(n.Segment.Start, n.Segment.Stop)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.walk(c)
	}
}

// hold keeps a place inside the text.
func (b *builder) hold(i int) int { return min(max(i, 0), len(b.src)) }

func (b *builder) prose(start, end int) {
	start, end = b.hold(start), b.hold(end)
	for end > start && (b.src[end-1] == '\n' || b.src[end-1] == '\r') {
		end--
	}
	if start >= end {
		return
	}
	if i := len(b.page.Prose) - 1; i >= 0 && b.page.Prose[i].End == start {
		b.page.Prose[i].End = end
		return
	}
	b.page.Prose = append(b.page.Prose, Stretch{start, end})
}

func (b *builder) codeBlock(n ast.Node, lang string) {
	code := Code{Block: true, Lang: lang, Start: b.hold(n.Pos())}
	code.End = code.Start
	first := len(b.stretches)
	for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		b.codeLine(&code, s, first)
	}
	b.code(code, first)
}

func (b *builder) codeSpan(n *ast.CodeSpan) {
	code := Code{Start: b.hold(n.Pos())}
	code.End = code.Start
	first := len(b.stretches)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.codeLine(&code, t.Segment, first)
		}
	}
	b.code(code, first)
}

// codeLine adds a line to those from the first on.
func (b *builder) codeLine(code *Code, s text.Segment, first int) {
	l := Stretch{b.hold(s.Start), b.hold(s.Stop)}
	none := len(b.stretches) == first
	if l.End < l.Start || !none && l.Start < code.End {
		return
	}
	if none {
		code.Start = l.Start
	}
	code.End = l.End
	b.stretches = append(b.stretches, l)
}

// code adds a span or block whose lines are the stretches from the first on.
func (b *builder) code(code Code, first int) {
	size := 0
	if n := len(b.stretches); n > first {
		code.Lines = b.stretches[first:n:n]
	}
	for _, l := range code.Lines {
		size += l.End - l.Start
	}
	if size == code.End-code.Start {
		code.Text = string(b.src[code.Start:code.End])
	} else {
		text := make([]byte, 0, size)
		for _, l := range code.Lines {
			text = append(text, b.src[l.Start:l.End]...)
		}
		code.Text = string(text)
	}
	b.page.Code = append(b.page.Code, code)
}
