// Package strictyaml parses the YAML subset of the format's reference library,
// which uses StrictYAML: block style only, every scalar a string, no anchors,
// no tags, no duplicate keys, no tabs as separators.
//
// It checks the nodes of a YAML 1.2 parser. The verdict and data match the
// library's for the conformance cases and real skills, but not for every text.
package strictyaml

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/lazyregexp"
	"skills/internal/spec/frontmatter"
)

// Opaque is the tag of an unquoted << or = used as a value, which the reference
// library treats neither as text nor as a list or mapping.
const Opaque = "!opaque"

// Reason classifies errors.
type Reason uint8

// The reasons that callers distinguish.
const (
	Other      Reason = iota
	FlowStyle         // [..] or {..}
	Duplicate         // the same key twice in a mapping
	ComplexKey        // a list or a mapping as a key
)

// Error describes why a text is rejected, with the position.
type Error struct {
	Span    frontmatter.Span
	Message string
	Reason  Reason
}

// Error returns the position and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Span.Start.Line, e.Span.Start.Column, e.Message)
}

// maxDepth is the maximum nesting of collections: the reference library is
// recursive and fails at Python's recursion limit.
const maxDepth = 244

const subset = " are not part of the reference library's YAML subset; quote the text"

// Parse parses text, one YAML document with \n as its line breaks, that starts
// after column characters of the file's first line. A document that is neither
// a mapping nor a sequence is a string with the whole text, as in StrictYAML.
// The span of a value is its first character. An error is always an [*Error].
func Parse(text string, column int) (frontmatter.Value, error) {
	r := reader{lines: frontmatter.IndexLines([]byte(text)), column: column}
	if err := r.printable(text); err != nil {
		return frontmatter.Value{}, err
	}
	node, bad := frontmatter.ParseYAML([]byte(text))
	if bad != nil {
		return frontmatter.Value{}, r.errorAt(bad.Line, bad.Column, Other, bad.Message)
	}
	root := frontmatter.Value{Kind: frontmatter.String}
	if node != nil {
		var err error
		root, err = r.value(node, 0)
		if err != nil {
			return frontmatter.Value{}, err
		}
	}
	if err := r.tabs(); err != nil {
		return frontmatter.Value{}, err
	}
	if root.Scalar() {
		return frontmatter.Value{Kind: frontmatter.String, Text: text, Span: r.span(1, 1, 1)}, nil
	}
	return root, nil
}

// printable rejects characters that the library does not allow anywhere.
func (r *reader) printable(text string) error {
	i, c := frontmatter.Forbidden(text)
	if i < 0 {
		return nil
	}
	at := r.lines.At(i)
	return r.errorAt(at.Line, at.Column, Other, fmt.Sprintf("character U+%04X is not allowed in YAML", c))
}

// errorAt returns an error at a position from the parser, which may be after the
// end of a line or of the text.
func (r *reader) errorAt(line, column int, reason Reason, message string) *Error {
	return &Error{Span: r.span(line, column, 1), Message: message, Reason: reason}
}

// span returns the position of characters of a line in the file, clamped to the
// line.
func (r *reader) span(line, column, length int) frontmatter.Span {
	span := r.lines.Span(line, max(column, 1), max(column, 1)+length)
	if span.Start.Line == 1 {
		span.Start.Column, span.End.Column = span.Start.Column+r.column, span.End.Column+r.column
	}
	return span
}

// reader converts the nodes of the YAML parser to values.
type reader struct {
	lines  frontmatter.Lines
	column int          // characters of the file before the first line
	quoted []*yaml.Node // quoted and block scalars, in which tabs are text
}

func (r *reader) value(n *yaml.Node, depth int) (v frontmatter.Value, err error) {
	switch {
	case depth > maxDepth:
		return v, r.errorAt(n.Line, n.Column, Other, "nested too deeply for the reference library")
	case n.Kind == yaml.AliasNode:
		return v, r.errorAt(n.Line, n.Column, Other, "aliases (*name)"+subset)
	case n.Anchor != "":
		return v, r.errorAt(n.Line, n.Column, Other, "anchors (&name)"+subset)
	case n.Style&yaml.TaggedStyle != 0, n.Tag == "!":
		return v, r.errorAt(n.Line, n.Column, Other, "tags (!name)"+subset)
	case n.Style&yaml.FlowStyle != 0:
		return v, r.errorAt(n.Line, n.Column, FlowStyle, "flow style ([ ] { } ,) is not part of the reference library's YAML subset; quote the text or use block style")
	}
	v.Span = r.span(n.Line, n.Column, 1)
	switch n.Kind {
	case yaml.MappingNode:
		v.Kind, v.Style = frontmatter.Mapping, frontmatter.Indented
		v.Fields, err = r.fields(n, depth)
	case yaml.SequenceNode:
		v.Kind, v.Style = frontmatter.Sequence, frontmatter.Indented
		for _, item := range n.Content {
			child, err := r.value(item, depth+1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, child)
		}
	default:
		v.Kind, v.Text = frontmatter.String, n.Value
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			r.quoted = append(r.quoted, n)
		} else if n.Value == "<<" || n.Value == "=" {
			v.Kind, v.Tag = frontmatter.Sequence, Opaque // rules treat it as a list
		}
	}
	return v, err
}

func (r *reader) fields(n *yaml.Node, depth int) ([]frontmatter.Field, error) {
	var out []frontmatter.Field
	seen := map[string]bool{}
	column := 0 // of the first mapping among the values
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key, err := r.value(k, depth+1)
		if err != nil {
			return nil, err
		}
		value, err := r.value(v, depth+1)
		switch {
		case err != nil:
			return nil, err
		case !key.Scalar() && key.Tag != Opaque:
			return nil, r.errorAt(k.Line, k.Column, ComplexKey, "a list or mapping as a key is not part of the reference library's YAML subset")
		case key.Tag == Opaque && key.Text == "<<" && !mergeable(value):
			return nil, r.errorAt(v.Line, v.Column, Other, "the reference library refuses the key << unless its value is a mapping or a list of mappings; quote the key")
		case seen[key.Text]:
			return nil, r.errorAt(k.Line, k.Column, Duplicate, fmt.Sprintf("key %q is twice in this mapping, which the reference library refuses", key.Text))
		case value.Kind == frontmatter.Mapping && column > 0 && v.Column != column:
			return nil, r.errorAt(v.Line, v.Column, Other, "mapping is indented differently from the mapping before it, which the reference library refuses")
		case value.Kind == frontmatter.Mapping:
			column = v.Column
		}
		seen[key.Text] = true
		out = append(out, frontmatter.Field{Key: key.Text, KeySpan: r.span(k.Line, k.Column, utf8.RuneCountInString(key.Text)), Value: value})
	}
	return out, nil
}

// mergeable reports whether a value may follow the key <<.
func mergeable(v frontmatter.Value) bool {
	other := func(item frontmatter.Value) bool { return item.Kind != frontmatter.Mapping }
	return v.Kind == frontmatter.Mapping || v.Kind == frontmatter.Sequence && v.Tag != Opaque && !slices.ContainsFunc(v.Items, other)
}

var comment = lazyregexp.New(`(?:^|[ \t])#`)

// tabs rejects the first tab that separates or indents, which means outside
// quotes, block scalars and comments. The library skips tabs after an empty
// line.
func (r *reader) tabs() error {
	if bytes.IndexByte(r.lines.Source, '\t') < 0 {
		return nil
	}
	text := bytes.Clone(r.lines.Source)
	for _, n := range r.quoted {
		start := r.lines.Offset(frontmatter.Pos{Line: n.Line, Column: n.Column})
		for i := range text[start:max(start, r.end(n, start))] {
			if text[start+i] == '\t' || text[start+i] == '#' {
				text[start+i] = 'x'
			}
		}
	}
	plain := frontmatter.IndexLines(text)
	for n := 1; n <= len(plain.Starts); n++ {
		line := plain.Text(n)
		if at := comment().FindIndex(line); at != nil {
			line = line[:at[1]]
		}
		from := 0
		if n > 2 && len(plain.Text(n-1)) == 0 {
			from = len(line) - len(bytes.TrimLeft(line, " \t"))
		}
		if tab := bytes.IndexByte(line[from:], '\t'); tab >= 0 {
			return r.errorAt(n, utf8.RuneCount(line[:from+tab])+1, Other, "a tab may not separate or indent here; use spaces")
		}
	}
	return nil
}

// end returns the offset after a quoted or block scalar.
func (r *reader) end(n *yaml.Node, start int) int {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		return start + frontmatter.QuotedLength(r.lines.Source[start:])
	}
	indent := 1
	for line := n.Line + 1; line <= len(r.lines.Starts); line++ {
		text := r.lines.Text(line)
		depth := len(text) - len(bytes.TrimLeft(text, " "))
		switch {
		case depth == len(text):
		case depth < indent:
			return r.lines.Starts[line-1]
		case indent == 1:
			indent = depth
		}
	}
	return len(r.lines.Source)
}
