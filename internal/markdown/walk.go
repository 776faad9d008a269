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
	for i, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		b.codeLine(&code, s, i == 0)
	}
	b.page.Code = append(b.page.Code, b.codeText(code))
}

func (b *builder) codeSpan(n *ast.CodeSpan) {
	code := Code{Start: b.hold(n.Pos())}
	code.End = code.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.codeLine(&code, t.Segment, len(code.Lines) == 0)
		}
	}
	b.page.Code = append(b.page.Code, b.codeText(code))
}

func (b *builder) codeLine(code *Code, s text.Segment, first bool) {
	l := Stretch{b.hold(s.Start), b.hold(s.Stop)}
	if l.End < l.Start || !first && l.Start < code.End {
		return
	}
	if first {
		code.Start = l.Start
	}
	code.End = l.End
	code.Lines = append(code.Lines, l)
}

func (b *builder) codeText(code Code) Code {
	if len(code.Lines) == 1 {
		code.Text = string(b.src[code.Start:code.End])
		return code
	}
	text := make([]byte, 0, code.End-code.Start)
	for _, l := range code.Lines {
		text = append(text, b.src[l.Start:l.End]...)
	}
	code.Text = string(text)
	return code
}
