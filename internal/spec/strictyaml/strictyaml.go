// Package strictyaml reads the YAML subset of the format's reference library,
// which hands the frontmatter to StrictYAML: block style only, every scalar a
// string, no anchors, no tags, no duplicate keys, no tabs as separators.
//
// It promises the verdict and the data of that library for the conformance
// cases, the client inputs and real skills, not for every text: it is a walk
// over the nodes of a YAML 1.2 parser. The package knows nothing of skills,
// fences or files.
package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes. Opaque is an unquoted << or = used as a value:
// the reference library takes it neither for text nor for a list or mapping.
const (
	Scalar   Kind = iota // a string, in Text
	Mapping              // Pairs in file order; keys are scalars and unique
	Sequence             // Items
	Opaque
)

// Node is one value of the document.
type Node struct {
	Kind  Kind
	Text  string // of a scalar
	Pairs []Pair
	Items []*Node
	// Line and Column say where the value starts, from 1, the column in code
	// points.
	Line, Column int
}

// Pair is one entry of a mapping.
type Pair struct{ Key, Value *Node }

// Reason sorts refusals by what they have in common.
type Reason uint8

// The reasons that callers distinguish.
const (
	Other      Reason = iota
	FlowStyle         // [..] or {..}
	Duplicate         // the same key twice in a mapping
	ComplexKey        // a list or a mapping as a key
)

// Error is why a text is refused. Line and Column count from 1 in the text
// given to Parse, the column in code points.
type Error struct {
	Line, Column int
	Message      string
	Reason       Reason
}

// Error gives the position and the message.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// maxDepth is how many collections may be nested: the reference library is
// recursive and ends at Python's recursion limit.
const maxDepth = 244

const subset = " are not part of the reference library's YAML subset; quote the text"

// Parse reads text, one YAML document with \n as its line breaks, into its root
// node. A document that is neither a mapping nor a sequence, an empty one too,
// is a scalar whose Text is the whole text: that is what StrictYAML returns. An
// error is always an [*Error].
func Parse(text string) (*Node, error) {
	if err := printable(text); err != nil {
		return nil, err
	}
	r := reader{lines: strings.Split(text, "\n")}
	var doc yaml.Node
	err := yaml.Load([]byte(text), &doc)
	var le *yaml.LoadError
	switch {
	case err != nil && strings.Contains(err.Error(), "no documents in stream"):
	case errors.As(err, &le):
		return nil, r.refuse(le.Mark.Line, le.Mark.Column, Other, le.Message)
	case err != nil:
		return nil, r.refuse(1, 1, Other, err.Error())
	}
	var root *Node
	if len(doc.Content) > 0 {
		if root, err = r.node(doc.Content[0], 0); err != nil {
			return nil, err
		}
	}
	if err := r.tabs(); err != nil {
		return nil, err
	}
	if root == nil || root.Kind == Scalar {
		return &Node{Text: text, Line: 1, Column: 1}, nil
	}
	return root, nil
}

// printable refuses a character that the library allows nowhere.
func printable(text string) error {
	for i, r := range text {
		if r < ' ' && r != '\t' && r != '\n' || r >= 0x7F && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF {
			start := strings.LastIndexByte(text[:i], '\n') + 1
			return &Error{Line: strings.Count(text[:i], "\n") + 1, Column: utf8.RuneCountInString(text[start:i]) + 1,
				Message: fmt.Sprintf("character U+%04X is not allowed in YAML", r)}
		}
	}
	return nil
}

// refuse returns an error at a place that the parser gave, which may be behind
// the end of a line or of the text.
func (r *reader) refuse(line, column int, reason Reason, message string) *Error {
	line, column = r.clamp(line, column)
	return &Error{Line: line, Column: column, Message: message, Reason: reason}
}

func (r *reader) clamp(line, column int) (int, int) {
	line = min(max(line, 1), len(r.lines))
	return line, min(max(column, 1), utf8.RuneCountInString(r.lines[line-1])+1)
}

// reader makes nodes of those of the YAML parser.
type reader struct {
	lines  []string
	quoted []*yaml.Node // the scalars in quotes and blocks, in which tabs are text
}

func (r *reader) node(n *yaml.Node, depth int) (*Node, error) {
	switch {
	case depth > maxDepth:
		return nil, r.refuse(n.Line, n.Column, Other, "nested too deeply for the reference library")
	case n.Kind == yaml.AliasNode:
		return nil, r.refuse(n.Line, n.Column, Other, "aliases (*name)"+subset)
	case n.Anchor != "":
		return nil, r.refuse(n.Line, n.Column, Other, "anchors (&name)"+subset)
	case n.Style&yaml.TaggedStyle != 0:
		return nil, r.refuse(n.Line, n.Column, Other, "tags (!name)"+subset)
	case n.Style&yaml.FlowStyle != 0:
		return nil, r.refuse(n.Line, n.Column, FlowStyle, "flow style ([ ] { } ,) is not part of the reference library's YAML subset; quote the text or use block style")
	}
	out := &Node{}
	out.Line, out.Column = r.clamp(n.Line, n.Column)
	switch n.Kind {
	case yaml.MappingNode:
		out.Kind = Mapping
		return out, r.mapping(out, n, depth)
	case yaml.SequenceNode:
		out.Kind = Sequence
		for _, item := range n.Content {
			child, err := r.node(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, child)
		}
	default:
		out.Text = n.Value
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			r.quoted = append(r.quoted, n)
		} else if n.Value == "<<" || n.Value == "=" {
			out.Kind = Opaque
		}
	}
	return out, nil
}

func (r *reader) mapping(out *Node, n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	column := 0 // of the first mapping among the values
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		key, err := r.node(k, depth+1)
		if err != nil {
			return err
		}
		value, err := r.node(n.Content[i+1], depth+1)
		switch {
		case err != nil:
			return err
		case key.Kind == Mapping || key.Kind == Sequence:
			return r.refuse(k.Line, k.Column, ComplexKey, "a list or mapping as a key is not part of the reference library's YAML subset")
		case seen[key.Text]:
			return r.refuse(k.Line, k.Column, Duplicate, fmt.Sprintf("key %q is twice in this mapping, which the reference library refuses", key.Text))
		case value.Kind == Mapping && column > 0 && value.Column != column:
			return r.refuse(n.Content[i+1].Line, n.Content[i+1].Column, Other, "mapping is indented differently from the mapping before it, which the reference library refuses")
		case value.Kind == Mapping:
			column = value.Column
		}
		seen[key.Text] = true
		key.Kind = Scalar
		out.Pairs = append(out.Pairs, Pair{key, value})
	}
	return nil
}

// tabs refuses the first tab that separates or indents: one that is not in
// quotes, in a block of text or in a comment. After an empty line the library
// skips tabs.
func (r *reader) tabs() error {
	line, column := 1, 0 // up to where the text is looked at
	for _, n := range r.quoted {
		if err := r.tabBefore(line, column, n.Line, n.Column); err != nil {
			return err
		}
		line, column = r.end(n)
	}
	return r.tabBefore(line, column, len(r.lines)+1, 0)
}

// tabBefore looks for a tab from one place to another, columns in code points.
func (r *reader) tabBefore(line, column, lastLine, lastColumn int) error {
	for ; line <= min(lastLine, len(r.lines)); line, column = line+1, 0 {
		before := ' '
		for i, c := range []rune(r.lines[line-1]) {
			switch {
			case i < column:
			case line == lastLine && i+1 >= lastColumn:
				return nil
			case c == '\t' && (strings.TrimLeft(r.lines[line-1][:i], " \t") != "" || line < 3 || r.lines[line-2] != ""):
				return &Error{Line: line, Column: i + 1, Message: "a tab may not separate or indent here; use spaces"}
			}
			if c == '#' && (before == ' ' || before == '\t') && i >= column {
				break
			}
			before = c
		}
	}
	return nil
}

// end is the place behind a scalar in quotes or a block of text.
func (r *reader) end(n *yaml.Node) (line, column int) {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		indent := 0
		for line = n.Line + 1; line <= len(r.lines); line++ {
			text := r.lines[line-1]
			depth := len(text) - len(strings.TrimLeft(text, " "))
			if depth == len(text) {
				continue
			}
			if indent == 0 {
				indent = depth
			}
			if depth == 0 || depth < indent {
				break
			}
		}
		return line, 0
	}
	quote := '\''
	if n.Style&yaml.DoubleQuotedStyle != 0 {
		quote = '"'
	}
	column = n.Column // behind the opening quote
	for line = n.Line; line <= len(r.lines); line, column = line+1, 0 {
		text := []rune(r.lines[line-1])
		for ; column < len(text); column++ {
			switch {
			case quote == '"' && text[column] == '\\':
				column++
			case text[column] != quote:
			case quote == '\'' && column+1 < len(text) && text[column+1] == '\'':
				column++
			default:
				return line, column + 1
			}
		}
	}
	return line, 0
}
