package rules

import (
	"bytes"
	"strings"

	"skills/internal/spec"
)

// maxMoved bounds how many keys are moved: nobody writes more on one line.
const maxMoved = 50

// flowFix returns the change that writes metadata: {a: b} as a block, nil
// where that is not a matter of moving the keys: comments, nesting, several
// lines, keys or values that do not read as they stand.
func flowFix(d *spec.Document, f *spec.Field) *spec.Fix {
	if len(f.Value.Fields) > maxMoved {
		return nil
	}
	start := d.Lines().Offset(f.Value.Span.Start)
	line := d.Source[start:]
	line = line[:len(d.Lines().Text(f.Value.Span.Start.Line))-(start-d.Lines().Starts[f.Value.Span.Start.Line-1])]
	end := bytes.LastIndexByte(line, '}')
	if end < 0 || line[0] != '{' || len(bytes.TrimSpace(line[end+1:])) > 0 || len(f.Value.Fields) == 0 {
		return nil
	}
	key, ok := bytes.CutSuffix(bytes.TrimRight(d.Source[d.Lines().Offset(f.KeySpan.Start):start], " "), []byte(":"))
	if !ok || string(key) != f.Key || f.KeySpan.Start.Column != 1 {
		return nil // the braces stand on a line of their own, or further in
	}
	nl := newline(d)
	var block strings.Builder
	for _, m := range f.Value.Fields {
		key, value := d.At(m.KeySpan), d.At(m.Value.Span)
		if m.Value.Kind == spec.Null && m.Value.Text == "" {
			value = ""
		}
		if key != m.Key && strings.Trim(key, `"'`) != m.Key || !m.Value.Scalar() || value != "" && !d.Verbatim(m.Value) || m.KeySpan.Start.Line != f.Value.Span.Start.Line {
			return nil
		}
		block.WriteString(nl + "  " + strings.TrimRight(key+": "+value, " "))
	}
	at := d.Lines().Offset(f.KeySpan.End) + 1
	return &spec.Fix{Description: "write metadata as a block", Edits: []spec.Edit{{Start: at, End: start + end + 1, Text: block.String()}}}
}

// newline is how the file ends its lines.
func newline(d *spec.Document) string {
	if i := bytes.IndexByte(d.Source, '\n'); i > 0 && d.Source[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
