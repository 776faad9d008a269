package rules

import (
	"strings"

	"skills/internal/spec"
)

// checkQuotedIndentation reports quoted text whose further lines stand no deeper than its
// field, where YAML 1.2 wants them indented.
func checkQuotedIndentation(p *spec.Pass, f *spec.Field) {
	for i := range f.Value.Fields {
		if !f.Value.Alias && f.Value.Style == spec.Indented {
			checkQuotedIndentation(p, &f.Value.Fields[i])
		}
	}
	v, x := f.Value, p.Doc.Lines()
	if v.Alias || v.Style != spec.SingleQuoted && v.Style != spec.DoubleQuoted || p.Full() {
		return
	}
	fix := spec.Fix{Description: "indent the text"}
	first := 0
	for n := v.Span.Start.Line + 1; n <= v.Span.End.Line; n++ {
		text := string(x.Text(n))
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if strings.TrimSpace(text) == "" || text[0] == '\t' || indent >= f.KeySpan.Start.Column {
			continue
		}
		if first == 0 {
			first = n
		}
		fix.Edits = append(fix.Edits, spec.Edit{Start: x.Starts[n-1], End: x.Starts[n-1], Text: strings.Repeat(" ", f.KeySpan.Start.Column+1-indent)})
	}
	if first > 0 {
		p.ReportFix(x.Line(first), &fix, "indent it by 2 more than "+show(f.Key),
			"the quoted value of %s goes on without being indented: YAML 1.2 asks for it, and npm's yaml refuses the file", quote(f.Key))
	}
}
