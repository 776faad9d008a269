package frontmatter

import (
	"strings"
)

// Edit returns an edit that replaces the text at a span of the file.
func (d *Content) Edit(span Span, text string) Edit {
	x := d.Lines()
	return Edit{Start: x.Offset(span.Start), End: x.Offset(span.End), Text: text}
}

// At returns the text at a span of the file.
func (d *Content) At(span Span) string {
	x := d.Lines()
	return string(d.Source[x.Offset(span.Start):max(x.Offset(span.Start), x.Offset(span.End))])
}

// Requote returns the change that replaces the text of a scalar, keeping its
// quotes or adding some. It returns nil unless the scalar is verbatim on one
// line.
func (d *Content) Requote(v Value, text, description string) *Fix {
	hasProperties := v.Alias || v.Anchor != "" || v.Tag != ""
	if hasProperties || !d.Verbatim(v) {
		return nil
	}
	return &Fix{Description: description, Edits: []Edit{d.Edit(v.Span, Quote(text))}}
}

// Rewrite is Requote for the value of a field, keeping its style.
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

// Verbatim reports whether a scalar is on one line and, apart from its quotes,
// equal to its source text.
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

// Quote returns text as a quoted YAML scalar.
func Quote(s string) string {
	if !strings.ContainsAny(s, `"\\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// Scalar returns text as a YAML value, quoted if necessary.
func Scalar(text string) string {
	if readsPlain(text) {
		return text
	}
	return Quote(text)
}

// readsPlain reports whether text survives as a plain value after a key.
func readsPlain(text string) bool {
	root, bad := ParseYAML([]byte("key: " + text))
	if bad != nil || len(root.Content) != 2 {
		return false
	}
	v := root.Content[1]
	return v.ShortTag() == "!!str" && v.Value == text
}
