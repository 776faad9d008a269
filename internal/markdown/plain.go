package markdown

// Most paragraphs are plain words. They are kept from the inline parser, which would look
// at each of their bytes to find nothing.

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// plainText is a paragraph without inline elements. Its lines are its prose.
type plainText struct{ ast.BaseBlock }

var kindPlainText = ast.NewNodeKind("PlainText")

// Kind implements ast.Node.
func (*plainText) Kind() ast.NodeKind { return kindPlainText }

// IsRaw keeps the inline parser away.
func (*plainText) IsRaw() bool { return true }

// Dump implements ast.Node.
func (n *plainText) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// inlineMarks are the bytes with which inline elements start or end. Emphasis is parsed
// in headings only.
const inlineMarks = "`[]<\\"

// plainParagraph parses paragraphs, and replaces a plain one when it is closed.
type plainParagraph struct{ parser.BlockParser }

// Close calls the parser's Close.
func (p plainParagraph) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	p.BlockParser.Close(node, reader, pc)
	parent := node.Parent()
	if parent == nil || node == meterOf(pc).title {
		return
	}
	lines, src := node.Lines(), reader.Source()
	for i := range lines.Len() {
		l := lines.At(i)
		words := bytes.TrimRight(src[l.Start:l.Stop], "\r\n")
		if l.Padding != 0 || bytes.ContainsAny(words, inlineMarks+"\r") {
			return
		}
	}
	plain := &plainText{}
	plain.SetLines(lines)
	plain.SetPos(node.Pos())
	plain.SetBlankPreviousLines(node.HasBlankPreviousLines())
	parent.ReplaceChild(parent, node, plain)
}

// underlinedHeading parses headings that are a paragraph with a line under it, and
// remembers the paragraph, which has to stay one.
type underlinedHeading struct{ parser.BlockParser }

// Open calls the parser's Open.
func (p underlinedHeading) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	last := pc.LastOpenedBlock().Node
	node, state := p.BlockParser.Open(parent, reader, pc)
	if node != nil {
		meterOf(pc).title = last
	}
	return node, state
}
