package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// runeLines hands out lines as code points, keeping the last one, so that many
// nodes on one long line cost no more than one pass over it.
type runeLines struct {
	index Lines
	line  int
	runes []rune
}

func (x *runeLines) at(line int) []rune {
	if x.line != line {
		x.line, x.runes = line, []rune(string(x.index.Text(line)))
	}
	return x.runes
}

// from returns the line of p from its column on.
func (x *runeLines) from(p Pos) []rune {
	line := x.at(p.Line)
	return line[min(max(p.Column-1, 0), len(line)):]
}

// clamp keeps a place inside the text.
func (x *runeLines) clamp(p Pos) Pos {
	p.Line = min(max(p.Line, 1), len(x.index.Starts))
	p.Column = min(max(p.Column, 1), len(x.at(p.Line))+1)
	return p
}

// span returns the place of a node in the file. The parser gives only its start;
// the end is read off the text.
func (r *nodeReader) span(n *yaml.Node) Span {
	start := r.text.clamp(Pos{n.Line, n.Column})
	end := r.text.clamp(r.end(n, start))
	shift := r.doc.block.Line - 1
	start.Line, end.Line = start.Line+shift, end.Line+shift
	start, end = r.file.clamp(start), r.file.clamp(end)
	if end.Line < start.Line || end.Line == start.Line && end.Column < start.Column {
		end = start
	}
	return Span{start, end}
}

// end returns the place after a node's last character: of a quoted value its
// closing quote, of a plain one the end of its text on its first line, of a
// block scalar its header, of a list or mapping its opening.
func (r *nodeReader) end(n *yaml.Node, start Pos) Pos {
	rest := r.text.from(start)
	switch {
	case n.Kind == yaml.AliasNode:
		return Pos{start.Line, start.Column + 1 + len([]rune(n.Value))}
	case n.Kind != yaml.ScalarNode:
		return Pos{start.Line, start.Column + trimmed(rest)}
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return r.endOfQuoted(start, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return r.endOfQuoted(start, '\'')
	}
	value := []rune(n.Value)
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && len(value) <= len(rest) && string(rest[:len(value)]) == n.Value {
		return Pos{start.Line, start.Column + len(value)}
	}
	return Pos{start.Line, start.Column + trimmed(rest)}
}

// trimmed is the length of a line without trailing white space.
func trimmed(line []rune) int {
	n := len(line)
	for n > 0 && strings.ContainsRune(" \t", line[n-1]) {
		n--
	}
	return n
}

// endOfQuoted looks for the closing quote, over several lines if need be.
func (r *nodeReader) endOfQuoted(start Pos, q rune) Pos {
	at := max(start.Column, 1) // index just after the opening quote
	for line := start.Line; line <= len(r.text.index.Starts); line++ {
		text := r.text.at(line)
		for ; at < len(text); at++ {
			switch {
			case text[at] == '\\' && q == '"':
				at++
			case text[at] != q:
			case q == '\'' && at+1 < len(text) && text[at+1] == q:
				at++
			default:
				return Pos{line, at + 2}
			}
		}
		at = 0
	}
	return start
}

// PlainKind is what a plain scalar is to a reader of the core schema.
func PlainKind(text string) Kind {
	var node yaml.Node
	if err := yaml.Load([]byte(text), &node); err != nil || len(node.Content) != 1 || node.Content[0].Kind != yaml.ScalarNode {
		return String
	}
	kind, _ := tagKind(node.Content[0].ShortTag())
	return kind
}

// tagKind is what a reader of the core schema takes a scalar with a tag for; ok
// is false where the tag is none of YAML's own.
func tagKind(tag string) (kind Kind, ok bool) {
	switch tag {
	case "!!str", "!!binary", "!!merge":
		return String, true
	case "!!null":
		return Null, true
	case "!!bool":
		return Bool, true
	case "!!int", "!!float":
		return Number, true
	case "!!timestamp":
		return Timestamp, true
	}
	return String, false
}
