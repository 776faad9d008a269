package frontmatter

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// span returns the position of a node in the file. The parser gives only its
// start; the end is derived from the text.
func (r *nodeReader) span(n *yaml.Node) Span {
	start, at := Pos{n.Line, n.Column}, r.text.Offset(Pos{n.Line, n.Column})
	text := r.text.Source[at : at+length(n, r.text.Source[at:])]
	end := Pos{n.Line, n.Column + utf8.RuneCount(text)}
	if bytes.ContainsAny(text, "\r\n") {
		end = r.text.At(at + len(text))
	}
	shift := r.doc.block.Line - 1
	start.Line, end.Line = start.Line+shift, end.Line+shift
	if len(r.doc.guessed) > 0 { // repaired lines have other columns in the file
		file := r.doc.Lines()
		start, end = file.Span(start.Line, start.Column, 0).Start, file.Span(end.Line, end.Column, 0).Start
	}
	return Span{start, end}
}

// length returns the number of bytes that the node at the start of text spans:
// a quoted value up to its closing quote, a plain one its first line, a block
// scalar its header, a list or mapping its first line.
func length(n *yaml.Node, text []byte) int {
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	block := n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch {
	case n.Kind == yaml.AliasNode:
		return len("*") + len(n.Value)
	case n.Kind == yaml.ScalarNode && quoted:
		return QuotedLength(text)
	case n.Kind == yaml.ScalarNode && !block && bytes.HasPrefix(text, []byte(n.Value)):
		return len(n.Value)
	}
	if end := bytes.IndexAny(text, "\r\n"); end >= 0 {
		text = text[:end]
	}
	return len(bytes.TrimRight(text, " \t"))
}

// QuotedLength returns the length in bytes of the quoted scalar at the start of
// text, or 0 if it is not closed.
func QuotedLength(text []byte) int { return len(quotedText().Find(text)) }

// PlainKind returns the kind of a plain scalar in the core schema.
func PlainKind(text string) Kind {
	var node yaml.Node
	if err := yaml.Load([]byte(text), &node); err != nil || len(node.Content) != 1 || node.Content[0].Kind != yaml.ScalarNode {
		return String
	}
	if kind, ok := tagKinds[node.Content[0].ShortTag()]; ok {
		return kind
	}
	return String
}

// tagKinds maps tags to the kinds of the core schema.
var tagKinds = map[string]Kind{
	"!!str": String, "!!binary": String, "!!merge": String, "!!null": Null, "!!bool": Bool,
	"!!int": Number, "!!float": Number, "!!timestamp": Timestamp,
}
