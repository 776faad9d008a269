package rules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var yamlPortability = &spec.Rule{
	ID:     "yaml-portability",
	Title:  "the frontmatter uses YAML that all known parsers read alike",
	Level:  spec.Warning,
	Source: "parsers of known clients and of the reference library, each tried with such files",
	Fix:    "removes white space after fences, replaces tabs beside values, ends lines with a line feed, indents quoted text, writes metadata in flow style as a block",
	Check: func(p *spec.Pass) {
		before := p.Reported()
		checkLineEnds(p)
		checkFences(p)
		checkDashes(p)
		checkFeatures(p)
		if p.Reported() == before && len(p.Doc.Faults) == 0 {
			checkRefused(p)
		}
		checkComments(p)
	},
}

// checkLineEnds reports lines of the frontmatter that end with a carriage return alone.
func checkLineEnds(p *spec.Pass) {
	src := p.Doc.Source
	first := loneReturn(src[:p.Doc.Block().BodyStart], 0)
	if first < 0 {
		return
	}
	var fix spec.Fix
	for i := first; i >= 0; i = loneReturn(src, i+1) {
		fix.Edits = append(fix.Edits, spec.Edit{Start: i, End: i + 1, Text: "\n"})
	}
	fix.Description = "end lines with a line feed"
	line := p.Doc.Lines().At(first).Line
	p.ReportFix(p.Doc.Lines().Line(line), &fix, "save the file with \\n or \\r\\n at the ends of lines",
		"this line ends with a lone carriage return (\\r): Gemini CLI, opencode, Google ADK and others find no frontmatter in such a file")
}

// loneReturn returns the offset of the first \r without \n from an offset on, -1 if
// there is none.
func loneReturn(src []byte, from int) int {
	for i := from; i < len(src); i++ {
		n := bytes.IndexByte(src[i:], '\r')
		if n < 0 {
			return -1
		}
		if i += n; i+1 == len(src) || src[i+1] != '\n' {
			return i
		}
	}
	return -1
}

// checkFences reports white space after the dashes of a fence.
func checkFences(p *spec.Pass) {
	for _, fence := range []struct {
		line      int
		name, who string
	}{
		{p.Doc.Block().Line - 1, "opening", "Gemini CLI, Google ADK and the vendors' upload checks find no frontmatter"},
		{p.Doc.BodyLine - 1, "closing", "Google ADK and some validators do not recognise it as the end of the frontmatter"},
	} {
		text := p.Doc.Line(fence.line)
		bare := strings.TrimRight(text, " \t")
		if bare == text {
			continue
		}
		span := p.Doc.Lines().Span(fence.line, len([]rune(bare))+1, len([]rune(text))+1)
		p.ReportFix(span, &spec.Fix{Description: "delete the white space", Edits: []spec.Edit{p.Doc.Edit(span, "")}},
			"write --- and nothing else on the line",
			"white space after the %s ---: %s", fence.name, fence.who)
	}
}

// checkDashes reports the first --- inside the frontmatter.
func checkDashes(p *spec.Pass) {
	b := p.Doc.Block()
	at := bytes.Index(p.Doc.Source[b.Start:b.End], []byte("---"))
	if at < 0 {
		return
	}
	p.Report(p.Doc.SourceSpan(b.Start+at, b.Start+at+3), "write a different dash, or fewer of them",
		"--- inside the frontmatter: the reference library reads it as the closing fence and loses the rest")
}

// checkFeatures reports features of YAML that some parsers refuse or read differently.
func checkFeatures(p *spec.Pass) {
	if p.Doc.Style == spec.Flow {
		b := p.Doc.Block()
		at := b.Start + max(bytes.IndexByte(p.Doc.Source[b.Start:b.End], '{'), 0)
		p.Report(p.Doc.SourceSpan(at, at+1), "write one field a line: name: my-skill",
			"the frontmatter is in flow style ({…}): the reference library and Microsoft Agent Framework refuse it")
	}
	for _, span := range p.Doc.MergeKeys {
		p.Report(span, "write the fields out", "merge key <<: the reference library refuses it, others keep it as a field")
	}
	for i := range p.Doc.Fields {
		f := &p.Doc.Fields[i]
		if !isSpecField(f.Key) && accepted(readers(f.Key), p.Clients) {
			continue // its client reads YAML, other clients ignore the field
		}
		if f.Key == "metadata" && f.Value.Kind == spec.Mapping && f.Value.Style == spec.Flow && !f.Value.Alias && p.Doc.Style != spec.Flow {
			p.ReportFix(f.Value.Span, flowFix(p.Doc, f),
				"write one key a line, indented, under metadata:",
				"metadata is in flow style ({…}), which the reference library refuses")
		}
		checkExplicitKey(p, f)
		checkValue(p, f.Value)
		checkQuotedIndentation(p, f)
	}
}

// checkExplicitKey reports a field of the specification that is written as ? key.
func checkExplicitKey(p *spec.Pass, f *spec.Field) {
	start := f.KeySpan.Start
	before := []rune(p.Doc.Line(start.Line))
	if before = before[:min(start.Column-1, len(before))]; !isSpecField(f.Key) || strings.TrimSpace(string(before)) != "?" {
		return
	}
	mark := strings.IndexByte(string(before), '?') + 1
	p.Report(p.Doc.Lines().Span(start.Line, mark, mark+1), "write "+f.Key+": and the value on one line",
		"the key %s is marked with ?: Microsoft Agent Framework, and others that read line by line, do not find it", f.Key)
}

// checkValue reports aliases, anchors and tags in a value. The value of an alias is
// reported at its anchor.
func checkValue(p *spec.Pass, v spec.Value) {
	if p.Full() {
		return
	}
	const help = "write the text out"
	switch {
	case v.Alias:
		p.Report(v.Span, help, "alias *%s: the reference library refuses it, parsers that read line by line keep it as text", printable.Quoted(v.Anchor))
		return
	case v.Anchor != "":
		checkAnchorOf(p, v)
	case v.Tag == "" && v.Style == spec.Plain && v.Scalar() && strings.HasPrefix(p.Doc.At(v.Span), "! "):
		p.Report(p.Doc.Lines().Span(v.Span.Start.Line, v.Span.Start.Column, v.Span.Start.Column+1), quoteHelp(p, v),
			"the ! before the text is a tag, not part of it: the reference library refuses it, parsers that read line by line keep it as text")
	case strings.HasPrefix(v.Tag, "!!") || v.Tag != "" && !v.Scalar(): // other tags of a scalar are errors
		p.Report(v.Span, fmt.Sprintf("delete %s, and quote the value if it is not text without it", printable.Quoted(v.Tag)),
			"tag %s: the reference library and Microsoft Agent Framework refuse it", printable.Quoted(v.Tag))
	}
	for _, item := range v.Items {
		checkValue(p, item)
	}
	for _, f := range v.Fields {
		checkValue(p, f.Value)
	}
}

// checkAnchorOf reports an anchor. Without an alias, it may be meant as text.
func checkAnchorOf(p *spec.Pass, v spec.Value) {
	const refused = "the reference library refuses it, parsers that read line by line keep it as text"
	if v.Scalar() && v.Style == spec.Plain && !slices.ContainsFunc(p.Doc.Fields, func(f spec.Field) bool { return refersTo(f.Value, v.Anchor) }) {
		span := p.Doc.Lines().Span(v.Span.Start.Line, v.Span.Start.Column, v.Span.Start.Column+1+utf8.RuneCountInString(v.Anchor))
		p.Report(span, quoteHelp(p, v), "&%s before the text is an anchor, not part of it: "+refused, printable.Quoted(v.Anchor))
		return
	}
	p.Report(v.Span, "write the text out", "anchor &%s: "+refused, printable.Quoted(v.Anchor))
}

// quoteHelp is the help for a value that starts with an anchor or a tag.
func quoteHelp(p *spec.Pass, v spec.Value) string {
	first, _, _ := strings.Cut(p.Doc.At(v.Span), " ")
	return "quote the value: " + shorten(frontmatter.Quote(strings.Join(strings.Fields(first+" "+v.Text), " "))) + ", or delete " + printable.Quoted(first)
}

// refersTo reports whether a value is or contains an alias of an anchor.
func refersTo(v spec.Value, anchor string) bool {
	return v.Alias && v.Anchor == anchor ||
		slices.ContainsFunc(v.Items, func(item spec.Value) bool { return refersTo(item, anchor) }) ||
		slices.ContainsFunc(v.Fields, func(f spec.Field) bool { return refersTo(f.Value, anchor) })
}

// maxMoved is the number of keys that the fix moves at most.
const maxMoved = 50

// flowFix writes metadata: {a: b} as a block. It is nil if there are comments, nested
// values, several lines, or keys and values that are not as they read.
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
		return nil // the braces are on a line of their own, or indented
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

// newline returns the line end of the file.
func newline(d *spec.Document) string {
	if i := bytes.IndexByte(d.Source, '\n'); i > 0 && d.Source[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// checkQuotedIndentation reports quoted text whose further lines are not indented more
// than the field, as YAML 1.2 requires.
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
		p.ReportFix(x.Line(first), &fix, "indent it by 2 more than "+printable.Quoted(f.Key),
			"the quoted value of %s continues without indentation: YAML 1.2 requires it, and npm's yaml refuses the file", printable.Quote(f.Key))
	}
}
