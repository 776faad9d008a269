package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParsers are those of CommonMark, with its priorities. Paragraphs in
// which no inline can start are done with where they end: the parser looks
// through all others a second time, byte by byte, and most are plain.
func blockParsers() []util.PrioritizedValue {
	return []util.PrioritizedValue{
		util.Prioritized(underlined{parser.NewSetextHeadingParser()}, 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(plainParagraph{parser.NewParagraphParser()}, 1000),
	}
}

// underlined is the parser of headings that a line of = or - makes of a
// paragraph. That paragraph's lines are needed after it was closed.
type underlined struct{ parser.BlockParser }

func (p underlined) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		meterOf(pc).heading = pc.LastOpenedBlock().Node
	}
	return n, state
}

// plainParagraph is the parser of paragraphs. It takes the lines of a plain one
// for prose, and from the paragraph.
type plainParagraph struct{ parser.BlockParser }

func (p plainParagraph) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	p.BlockParser.Close(node, reader, pc)
	m, lines, src := meterOf(pc), node.Lines(), reader.Source()
	if m.whole || node == m.heading || lines.Len() == 0 ||
		inlineIn(src[lines.At(0).Start:lines.At(lines.Len()-1).Stop]) {
		return
	}
	for i := range lines.Len() {
		s := lines.At(i)
		m.prose = append(m.prose, Stretch{s.Start, s.Stop - util.TrimRightSpaceLength(src[s.Start:s.Stop])})
	}
	lines.Clear()
}

// inlineIn reports text in which code, a link, an autolink, a tag or an escape
// may start.
func inlineIn(s []byte) bool {
	for _, c := range []byte("`[<\\") {
		if bytes.IndexByte(s, c) >= 0 {
			return true
		}
	}
	return false
}
