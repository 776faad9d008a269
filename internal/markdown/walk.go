package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// builder builds a page from a parsed text.
type builder struct {
	src     []byte
	page    *Page
	meter   *meter
	slugs   map[string]int
	defs    map[definition]Range // the position of the first destination for each definition
	pending []reference          // links whose definition may follow
}

// definition identifies a definition for reference links.
type definition struct{ label, target string }

type reference struct {
	definition
	kind LinkKind
	pos  int // of the link itself
}

// unclosed records a non-empty code block without a closing fence: its last
// line is the last of the text.
func (b *builder) unclosed(n *ast.FencedCodeBlock) {
	lines := n.Lines()
	if lines.Len() == 0 || len(bytes.TrimSpace(b.src[lines.At(lines.Len()-1).Stop:])) > 0 {
		return
	}
	end := max(bytes.LastIndexByte(b.src[:lines.At(0).Start], '\n'), 0) // end of the line before the fence
	start := bytes.LastIndexByte(b.src[:end], '\n') + 1
	b.page.Unclosed = &Range{start, end}
}

func (b *builder) walk(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		b.heading(n)
	case *ast.FencedCodeBlock:
		b.codeBlock(n, string(n.Language(b.src)))
		b.unclosed(n)
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
	case *plainText:
		for _, l := range n.Lines().Sliced(0, n.Lines().Len()) {
			l = l.TrimRightSpace(b.src)
			b.prose(l.Start, l.Stop)
		}
		return
	case *ast.Text:
		b.prose(n.Segment.Start, n.Segment.Stop)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.walk(c)
	}
}

// clamp limits an offset to the text.
func (b *builder) clamp(i int) int { return min(max(i, 0), len(b.src)) }

func (b *builder) prose(start, end int) {
	start, end = b.clamp(start), b.clamp(end)
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
	b.page.Prose = append(b.page.Prose, Range{start, end})
}

func (b *builder) codeBlock(n ast.Node, lang string) {
	code := Code{Block: true, Lang: lang, Lines: make([]Range, 0, n.Lines().Len())}
	for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		b.codeLine(&code, s)
	}
	b.code(code, n.Pos())
}

func (b *builder) codeSpan(n *ast.CodeSpan) {
	var code Code
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.codeLine(&code, t.Segment)
		}
	}
	b.code(code, n.Pos())
}

// codeLine adds a line, except one that the parser placed before the last.
func (b *builder) codeLine(code *Code, s text.Segment) {
	l := Range{b.clamp(s.Start), b.clamp(s.Stop)}
	if n := len(code.Lines); l.End >= l.Start && (n == 0 || l.Start >= code.Lines[n-1].End) {
		code.Lines = append(code.Lines, l)
	}
}

// code adds a span or block to the page; pos is its offset if it has no lines.
func (b *builder) code(code Code, pos int) {
	code.Start = b.clamp(pos)
	code.End = code.Start
	if n := len(code.Lines); n > 0 {
		code.Start, code.End = code.Lines[0].Start, code.Lines[n-1].End
	}
	var text strings.Builder
	text.Grow(code.End - code.Start)
	for _, l := range code.Lines {
		text.Write(b.src[l.Start:l.End])
	}
	code.Text = text.String()
	b.page.Code = append(b.page.Code, code)
}
