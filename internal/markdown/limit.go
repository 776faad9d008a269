package markdown

import (
	"bytes"
	"strings"

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

// maxDepth is how deep quotations and lists may be nested. The parser goes
// through all that are open at every line.
const maxDepth = 100

// tooDeep reports a line that is, by its marks and its indentation, deeper than
// maxDepth.
func tooDeep(src []byte) bool {
	for line := range bytes.Lines(src) {
		if depth(line) > maxDepth {
			return true
		}
	}
	return false
}

// depth is an upper bound of how many containers a line opens or continues; 0
// where that is not near maxDepth.
func depth(line []byte) int {
	const leading = " \t\r>-+*.)0123456789"
	if at := maxDepth / 2; len(line) <= at || strings.IndexByte(leading, line[at]) < 0 {
		return 0 // most lines: no byte counts for more than two levels
	}
	lead := line[:len(line)-len(bytes.TrimLeft(line, leading))]
	marks := 0
	for _, word := range bytes.FieldsFunc(lead, func(r rune) bool { return r >= '0' && r <= '9' }) {
		marks += len(bytes.Fields(bytes.ReplaceAll(word, []byte(">"), []byte(" > "))))
	}
	if marks == 0 {
		return 0
	}
	return marks + (len(lead)+3*bytes.Count(lead, []byte("\t")))/2
}
