package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// budget is how many steps of searching in vain one text may cost. Every mark
// that opens something and is never closed makes the parser look to the end of
// the line or paragraph; many of them in a long one take time that grows with
// the square. Real texts stay a hundred times below.
const budget = 64 << 20

// meter counts those steps. Past the budget marks are taken for text.
type meter struct {
	left int
	// paren is the place of the parenthesis of an inline link, by its node.
	paren map[any]int
}

// meterKey is where a context has the meter of its text.
var meterKey = parser.NewContextKey()

// meterOf returns the meter of the text that is being parsed.
func meterOf(pc parser.Context) *meter { return pc.Get(meterKey).(*meter) }

// rest is the number of bytes from a place to the end of the block it is in.
func rest(parent ast.Node, from int) int {
	if lines := parent.Lines(); lines != nil && lines.Len() > 0 {
		return max(lines.At(lines.Len()-1).Stop-from, 0)
	}
	return 0
}

// meteredCode is the parser of code spans, charged for runs of backticks that
// nothing closes.
type meteredCode struct{ parser.InlineParser }

func (p meteredCode) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	if m.left < 0 {
		return nil
	}
	_, at := block.Position()
	n := p.InlineParser.Parse(parent, block, pc)
	if _, span := n.(*ast.CodeSpan); !span {
		m.left -= rest(parent, at.Start)
	}
	return n
}

// meteredLink is the parser of links, charged for those that are none.
type meteredLink struct{ parser.InlineParser }

func (p *meteredLink) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	if m.left < 0 {
		return nil
	}
	line, at := block.PeekLine()
	n := p.InlineParser.Parse(parent, block, pc)
	if line[0] != ']' {
		return n
	}
	if n != nil {
		m.paren[n] = at.Start + 1
		return n
	}
	m.left -= parent.Lines().Len() + parent.ChildCount() // it was looked up as [label], and its text for links
	if len(line) > 1 && (line[1] == '(' || line[1] == '[') {
		m.left -= rest(parent, at.Start)
	}
	return nil
}

// CloseBlock passes on what the parser does at the end of a block.
func (p *meteredLink) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// meteredDefinitions takes link definitions out of paragraphs, unless there
// are so many in a long one that the search for their titles takes seconds.
// Footnotes are left in: their text is prose.
type meteredDefinitions struct{}

func (meteredDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, src := node.Lines(), reader.Source()
	if lines.Len() == 0 {
		return
	}
	value := func(i int) []byte {
		s := lines.At(i)
		return bytes.TrimLeft(src[s.Start:s.Stop], " \t")
	}
	if first := value(0); !bytes.HasPrefix(first, []byte("[")) || bytes.HasPrefix(first, []byte("[^")) {
		return
	}
	marks := 0
	for i := range lines.Len() {
		if bytes.HasPrefix(value(i), []byte("[")) {
			marks++
		}
	}
	m := meterOf(pc)
	if m.left -= marks * rest(node, lines.At(0).Start) / 4; m.left >= 0 {
		parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
	}
}

// maxDepth is how many blocks may be open inside each other. The parser goes
// through all of them at every line.
const maxDepth = 100

// meteredContainer is the parser of lists or quotations, except those that are too
// deep.
type meteredContainer struct{ parser.BlockParser }

func (p meteredContainer) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxDepth {
		meterOf(pc).left = -1
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}
