package rules

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// withoutCommas writes a space for each comma, with the white space around it.
func withoutCommas(text string, commas []int) string {
	var out []string
	start := 0
	for _, i := range append(commas, len(text)) {
		if part := strings.TrimSpace(text[start:i]); part != "" {
			out = append(out, part)
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		start = i + size
	}
	return strings.Join(out, " ")
}

// commaFix writes spaces between the tools, nil where the text does not stand
// on one line as it reads.
func commaFix(d *spec.Document, f *spec.Field, commas []int) *spec.Fix {
	v := f.Value
	if v.Alias || v.Anchor != "" || v.Tag != "" || !d.Verbatim(v) {
		return nil
	}
	text := withoutCommas(v.Text, commas)
	switch v.Style {
	case spec.DoubleQuoted:
		text = `"` + text + `"`
	case spec.SingleQuoted:
		text = "'" + text + "'"
	}
	return &spec.Fix{Description: "write spaces between the tools", Field: f.Key, Edits: []spec.Edit{d.Edit(v.Span, text)}}
}

// toolListFix writes a list of tools as text, nil where an item is not a tool
// by itself, or where comments stand among them.
func toolListFix(d *spec.Document, f *spec.Field, line string) *spec.Fix {
	items := f.Value.Items
	for _, item := range items {
		commas, open, stray := scanTools(item.Text)
		if item.Kind != spec.String || item.Alias || item.Anchor != "" || item.Tag != "" || !d.Verbatim(item) ||
			spec.Trim(item.Text) == "" || len(commas) > 0 || open >= 0 || stray >= 0 || splitsOutside(spec.Trim(item.Text)) {
			return nil
		}
	}
	x := d.Lines()
	start := x.Offset(f.KeySpan.End)
	end := x.Offset(items[len(items)-1].Span.End)
	if f.Value.Style == spec.Flow {
		n := bytes.IndexByte(d.Source[end:], ']')
		if n < 0 || len(bytes.Trim(d.Source[end:end+n], " \t\r\n,")) > 0 {
			return nil
		}
		end += n + 1
	}
	if f.Value.Alias || f.Value.Anchor != "" || f.Value.Tag != "" || start >= end || d.Source[start] != ':' || bytes.Contains(d.Source[start:end], []byte("#")) {
		return nil
	}
	return &spec.Fix{Description: "write the tools with spaces between them", Field: f.Key, Edits: []spec.Edit{{Start: start + 1, End: end, Text: " " + frontmatter.Scalar(line)}}}
}

// splitsOutside reports white space outside parentheses: more than one tool.
func splitsOutside(tool string) bool {
	depth := 0
	for _, r := range tool {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0 && (r == ' ' || r == '\t' || r == '\n'):
			return true
		}
	}
	return false
}
