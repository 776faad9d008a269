package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// Edit returns the edit that replaces the text at a span of the file.
func (d *Content) Edit(span Span, text string) Edit {
	x := d.Lines()
	return Edit{Start: x.Offset(span.Start), End: x.Offset(span.End), Text: text}
}

// At returns the text at a span of the file.
func (d *Content) At(span Span) string {
	x := d.Lines()
	return string(d.Source[x.Offset(span.Start):max(x.Offset(span.Start), x.Offset(span.End))])
}

// Requote returns the change that puts a plain or quoted scalar's new text in
// its place in double or single quotes, nil unless the scalar is on one line,
// written as it reads.
func (d *Content) Requote(v Value, text, description string) *Fix {
	if v.Alias || v.Anchor != "" || v.Tag != "" || !d.Verbatim(v) {
		return nil
	}
	return &Fix{Description: description, Edits: []Edit{d.Edit(v.Span, Quote(text))}}
}

// Rewrite is Requote for the value of a field, which keeps its style.
func (d *Content) Rewrite(f *Field, text, description string) *Fix {
	fix := d.Requote(f.Value, text, description)
	if fix == nil {
		return nil
	}
	fix.Field = f.Key
	switch f.Value.Style {
	case Plain:
		fix.Edits[0].Text = text
	case SingleQuoted:
		fix.Edits[0].Text = "'" + text + "'"
	}
	return fix
}

// Verbatim reports whether a scalar is on one line and written as it reads, apart
// from its quotes.
func (d *Content) Verbatim(v Value) bool {
	text := d.At(v.Span)
	switch v.Style {
	case Plain:
		return text == v.Text
	case SingleQuoted:
		return text == "'"+v.Text+"'"
	case DoubleQuoted:
		return text == `"`+v.Text+`"`
	}
	return false
}

// Quote writes text as a quoted YAML scalar, the way a person would.
func Quote(s string) string {
	if !strings.ContainsAny(s, `"\\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// Scalar is a text as a value of frontmatter: quoted where it has to be.
func Scalar(text string) string {
	if readsPlain(text) {
		return text
	}
	return Quote(text)
}

// readsPlain reports whether a text is read back as it is when it is
// written plainly after a key.
func readsPlain(text string) bool {
	var node yaml.Node
	if yaml.Load([]byte("key: "+text), &node) != nil || len(node.Content) != 1 || len(node.Content[0].Content) != 2 {
		return false
	}
	v := node.Content[0].Content[1]
	return v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && v.Value == text && v.Style == 0
}
