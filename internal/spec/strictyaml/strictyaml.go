// Package strictyaml reads the YAML subset of the format's reference library,
// which hands the frontmatter to StrictYAML: block style only, every scalar a
// string, no anchors, no tags, no duplicate keys, no tabs as separators.
//
// It walks over the nodes of a YAML 1.2 parser, so it promises the library's
// verdict and data for the conformance cases and real skills, not for every text.
package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/spec/frontmatter"
)

// Opaque is the tag of an unquoted << or = used as a value: the reference
// library takes it neither for text nor for a list or mapping.
const Opaque = "!opaque"

// Reason sorts refusals by what they have in common.
type Reason uint8

// The reasons that callers distinguish.
const (
	Other      Reason = iota
	FlowStyle         // [..] or {..}
	Duplicate         // the same key twice in a mapping
	ComplexKey        // a list or a mapping as a key
)

// Error is why a text is refused, with the place of the culprit.
type Error struct {
	Span    frontmatter.Span
	Message string
	Reason  Reason
}

// Error gives the position and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Span.Start.Line, e.Span.Start.Column, e.Message)
}

// maxDepth is how many collections may be nested: the reference library is
// recursive and ends at Python's recursion limit.
const maxDepth = 244

const subset = " are not part of the reference library's YAML subset; quote the text"

// Parse reads text, one YAML document with \n as its line breaks, that starts
// behind column characters of the file's first line. A document that is neither
// a mapping nor a sequence is a string with the whole text, as StrictYAML has it.
// Values have only the span of their first character. An error is always an [*Error].
func Parse(text string, column int) (frontmatter.Value, error) {
	r := reader{lines: strings.Split(text, "\n"), column: column}
	if err := r.printable(text); err != nil {
		return frontmatter.Value{}, err
	}
	var doc yaml.Node
	err := yaml.Load([]byte(text), &doc)
	var le *yaml.LoadError
	switch {
	case err != nil && strings.Contains(err.Error(), "no documents in stream"):
	case errors.As(err, &le):
		return frontmatter.Value{}, r.refuse(le.Mark.Line, le.Mark.Column, Other, le.Message)
	case err != nil:
		return frontmatter.Value{}, r.refuse(1, 1, Other, err.Error())
	}
	root := frontmatter.Value{Kind: frontmatter.String}
	if len(doc.Content) > 0 {
		if root, err = r.value(doc.Content[0], 0); err != nil {
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

// printable refuses a character that the library allows nowhere.
func (r *reader) printable(text string) error {
	for i, c := range text {
		if c < ' ' && c != '\t' && c != '\n' || c >= 0x7F && c < 0xA0 && c != 0x85 || c == 0xFFFE || c == 0xFFFF {
			start := strings.LastIndexByte(text[:i], '\n') + 1
			return r.refuse(strings.Count(text[:i], "\n")+1, utf8.RuneCountInString(text[start:i])+1, Other,
				fmt.Sprintf("character U+%04X is not allowed in YAML", c))
		}
	}
	return nil
}

// refuse returns an error at a place that the parser gave, which may be behind
// the end of a line or of the text.
func (r *reader) refuse(line, column int, reason Reason, message string) *Error {
	return &Error{Span: r.span(line, column, 1), Message: message, Reason: reason}
}

// span is the place in the file of characters of a line, kept inside the line.
func (r *reader) span(line, column, length int) frontmatter.Span {
	line = min(max(line, 1), len(r.lines))
	last := utf8.RuneCountInString(r.lines[line-1]) + 1
	column = min(max(column, 1), last)
	end := min(column+length, last)
	if line == 1 {
		column, end = column+r.column, end+r.column
	}
	return frontmatter.Span{Start: frontmatter.Pos{Line: line, Column: column}, End: frontmatter.Pos{Line: line, Column: end}}
}

// reader makes values of the nodes of the YAML parser.
type reader struct {
	lines  []string
	column int          // how many characters of the file precede the first line
	quoted []*yaml.Node // the scalars in quotes and blocks, in which tabs are text
}

func (r *reader) value(n *yaml.Node, depth int) (v frontmatter.Value, err error) {
	switch {
	case depth > maxDepth:
		return v, r.refuse(n.Line, n.Column, Other, "nested too deeply for the reference library")
	case n.Kind == yaml.AliasNode:
		return v, r.refuse(n.Line, n.Column, Other, "aliases (*name)"+subset)
	case n.Anchor != "":
		return v, r.refuse(n.Line, n.Column, Other, "anchors (&name)"+subset)
	case n.Style&yaml.TaggedStyle != 0:
		return v, r.refuse(n.Line, n.Column, Other, "tags (!name)"+subset)
	case n.Style&yaml.FlowStyle != 0:
		return v, r.refuse(n.Line, n.Column, FlowStyle, "flow style ([ ] { } ,) is not part of the reference library's YAML subset; quote the text or use block style")
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
			v.Kind, v.Tag = frontmatter.Sequence, Opaque // a list to the rules
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
			return nil, r.refuse(k.Line, k.Column, ComplexKey, "a list or mapping as a key is not part of the reference library's YAML subset")
		case seen[key.Text]:
			return nil, r.refuse(k.Line, k.Column, Duplicate, fmt.Sprintf("key %q is twice in this mapping, which the reference library refuses", key.Text))
		case value.Kind == frontmatter.Mapping && column > 0 && v.Column != column:
			return nil, r.refuse(v.Line, v.Column, Other, "mapping is indented differently from the mapping before it, which the reference library refuses")
		case value.Kind == frontmatter.Mapping:
			column = v.Column
		}
		seen[key.Text] = true
		out = append(out, frontmatter.Field{Key: key.Text, KeySpan: r.span(k.Line, k.Column, utf8.RuneCountInString(key.Text)), Value: value})
	}
	return out, nil
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
				return r.refuse(line, i+1, Other, "a tab may not separate or indent here; use spaces")
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
