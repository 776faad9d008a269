package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// budget limits the steps of unsuccessful searches in one text. For every
// unclosed opening mark the parser searches to the end of the line or
// paragraph, so the time grows with the square of their number. Real texts need
// less than a hundredth of the budget.
const budget = 64 << 20

// meter counts those steps. Once the budget is spent, marks are text.
type meter struct {
	left int
	// paren maps the node of an inline link to the offset of its parenthesis.
	paren map[any]int
	// title is the last paragraph that becomes a heading.
	title ast.Node
}

// meterKey is the context key of a text's meter.
var meterKey = parser.NewContextKey()

// meterOf returns the meter of the text being parsed.
func meterOf(pc parser.Context) *meter { return pc.Get(meterKey).(*meter) }

// rest returns the number of bytes from an offset to the end of its block.
func rest(parent ast.Node, from int) int {
	if lines := parent.Lines(); lines != nil && lines.Len() > 0 {
		return max(lines.At(lines.Len()-1).Stop-from, 0)
	}
	return 0
}

// meteredCode parses code spans, and counts unclosed runs of backticks.
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

// meteredLink parses links, and counts failed attempts.
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
	m.left -= parent.Lines().Len() + parent.ChildCount() // the parser looked up [label] and searched its text for links
	if len(line) > 1 && (line[1] == '(' || line[1] == '[') {
		m.left -= rest(parent, at.Start)
	}
	return nil
}

// CloseBlock calls the parser's CloseBlock.
func (p *meteredLink) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// meteredDefinitions removes link definitions from paragraphs, unless there are
// so many in a long one that the search for their titles takes seconds.
// Footnotes stay: their text is prose.
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
	m.left -= marks * rest(node, lines.At(0).Start) / 4
	if m.left >= 0 {
		parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
	}
}

// maxDepth is the maximum number of nested open blocks. The parser visits all
// of them on every line.
const maxDepth = 100

// meteredContainer parses lists or quotations up to maxDepth.
type meteredContainer struct{ parser.BlockParser }

func (p meteredContainer) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxDepth {
		meterOf(pc).left = -1
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}
