package frontmatter

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/lazyregexp"
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
	root, bad := ParseYAML([]byte(text))
	if bad != nil || root == nil || root.Kind != yaml.ScalarNode {
		return String
	}
	if kind, ok := tagKinds[root.ShortTag()]; ok {
		return kind
	}
	return String
}

// tagKinds maps tags to the kinds of the core schema.
var tagKinds = map[string]Kind{
	"!!str": String, "!!binary": String, "!!merge": String, "!!null": Null, "!!bool": Bool,
	"!!int": Number, "!!float": Number, "!!timestamp": Timestamp,
}

// Within returns the span of bytes from..to of a field's text, which must
// contain more than white space. If they are not in the source verbatim, it
// returns the span of the whole value. YAML changes white space and escapes, so
// it counts words.
func (d *Content) Within(f *Field, from, to int) Span {
	v, x := f.Value, d.Lines()
	src := d.Source[:d.block.End]
	at := x.Offset(v.Span.Start)
	switch v.Style {
	case SingleQuoted, DoubleQuoted:
		at++
	case Literal, Folded: // the text starts below the header
		at = x.Offset(Pos{v.Span.Start.Line + 1, 1})
	}
	word := strings.LastIndexAny(v.Text[:from], " \t\n") + 1
	before := len(anyWord().FindAllString(v.Text[:word], -1))
	words := anyWord().FindAllIndex(src[min(at, len(src)):], before+1)
	if v.Alias || len(words) <= before {
		return v.Span
	}
	at += words[before][0]
	if !bytes.HasPrefix(src[at:], []byte(v.Text[word:to])) {
		return v.Span
	}
	return Span{x.At(at + from - word), x.At(at + to - word)}
}

var anyWord = lazyregexp.New(`[^ \t\r\n]+`)
