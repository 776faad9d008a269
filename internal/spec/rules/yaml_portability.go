package rules

// Frontmatter that the YAML parser here accepts may be read otherwise, or refused, by those
// of other clients. Each check is about one difference that was seen in a client; what
// only the reference library refuses is reported last, and once.

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/strictyaml"
)

var yamlPortability = &spec.Rule{
	ID:     "yaml-portability",
	Title:  "the frontmatter uses YAML that all known parsers read alike",
	Level:  spec.Warning,
	Source: "parsers of known clients and of the reference library, each tried with such files",
	Fix:    "removes white space after fences, ends lines with a line feed, indents quoted text",
	Check: func(p *spec.Pass) {
		checkLineEnds(p)
		checkFences(p)
		checkDashes(p)
		checkSeparators(p)
		for i := range p.Doc.Fields {
			checkQuotedIndentation(p, &p.Doc.Fields[i])
		}
		if p.Reported() == 0 && len(p.Doc.Faults) == 0 {
			checkRefused(p)
		}
		checkComments(p)
	},
}

// checkLineEnds reports the first line of the frontmatter that ends with a lone
// carriage return.
func checkLineEnds(p *spec.Pass) {
	if !bytes.Contains(p.Doc.Source, []byte("\r")) {
		return
	}
	ends := strings.NewReplacer("\r\n", "\r\n", "\r", "\n")
	src, at := string(p.Doc.Source), 0
	fixed := ends.Replace(src)
	for at < p.Doc.Block().BodyStart && src[at] == fixed[at] {
		at++
	}
	if at == p.Doc.Block().BodyStart {
		return
	}
	x := p.Doc.Lines()
	p.ReportFix(x.Line(x.At(at).Line), &spec.Fix{Description: "end lines with a line feed", Edits: []spec.Edit{{End: len(src), Text: fixed}}},
		"save the file with \\n or \\r\\n at the ends of lines",
		"this line ends with a lone carriage return (\\r): Gemini CLI, opencode, Google ADK and others find no frontmatter in such a file")
}

// checkFences reports trailing white space after a fence.
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

// checkSeparators reports the first Unicode line separator in the frontmatter.
func checkSeparators(p *spec.Pass) {
	b := p.Doc.Block()
	src := p.Doc.Source[b.Start:b.End]
	if at := bytes.IndexAny(src, frontmatter.Separators); at >= 0 {
		r, size := utf8.DecodeRune(src[at:])
		p.Report(p.Doc.SourceSpan(b.Start+at, b.Start+at+size), "delete it, or write a space",
			"%s ends a line in parsers of YAML 1.1, which refuse the file or lose the rest of the value", printable.Rune(r))
	}
}

// checkRefused reports the first construct that the reference library does not
// support, such as an anchor, a tag or a tab next to a value, unless a rule
// reports it as an error.
func checkRefused(p *spec.Pass) {
	d, x := p.Doc, p.Doc.Lines()
	if f := d.Field("metadata"); f != nil && isFlowOfOwn(d, f.Value) {
		p.Report(f.Value.Span, "write one key a line, indented, under metadata:",
			"metadata is in flow style ({…}), which the reference library refuses")
		return
	}
	_, err := strictyaml.Parse(strings.ReplaceAll(string(d.Source[len("---"):d.Block().End]), "\r\n", "\n"), len("---"))
	at, ok := errors.AsType[*strictyaml.Error](err)
	if !ok {
		return
	}
	switch at.Reason {
	case strictyaml.Duplicate, strictyaml.ComplexKey:
		return
	case strictyaml.FlowStyle:
		if d.Style != spec.Flow {
			return
		}
	}
	start := x.Offset(at.Span.Start)
	if rest := d.Source[start:d.Block().End]; len(rest) > 0 && rest[0] == '\t' {
		end := start + len(rest) - len(bytes.TrimLeft(rest, " \t"))
		p.Report(d.SourceSpan(start, end), "write a space instead",
			"a tab outside quotes: the reference library and the vendors' upload checks refuse the file")
		return
	}
	for _, f := range slices.Backward(d.Fields) {
		if f.KeySpan.Start.Line <= at.Span.Start.Line {
			if isSpecField(f.Key) { // the library rejects all other fields
				break
			}
			return
		}
	}
	p.Report(at.Span, "tools that build on the reference library refuse the skill, although the specification allows all of YAML", "%s", at.Message)
}

// isFlowOfOwn reports whether metadata alone is in flow style, and no client
// documents that.
func isFlowOfOwn(d *spec.Document, v spec.Value) bool {
	isFlow := v.Kind == spec.Mapping && v.Style == spec.Flow && !v.Alias
	documented := func(m spec.Field) bool { return documentedBy(m) != nil }
	return isFlow && d.Style != spec.Flow && !slices.ContainsFunc(v.Fields, documented)
}

// checkQuotedIndentation reports quoted text whose continuation lines are not
// indented more than the field, as YAML 1.2 requires.
func checkQuotedIndentation(p *spec.Pass, f *spec.Field) {
	v, x := f.Value, p.Doc.Lines()
	if v.Alias || v.Style != spec.SingleQuoted && v.Style != spec.DoubleQuoted {
		return
	}
	fix := spec.Fix{Description: "indent the text"}
	first := 0
	for n := v.Span.Start.Line + 1; n <= v.Span.End.Line; n++ {
		if text := string(x.Text(n)); strings.TrimSpace(text) != "" && text[0] != ' ' && text[0] != '\t' {
			if first == 0 {
				first = n
			}
			fix.Edits = append(fix.Edits, spec.Edit{Start: x.Starts[n-1], End: x.Starts[n-1], Text: "  "})
		}
	}
	if first > 0 {
		p.ReportFix(x.Line(first), &fix, "indent it by 2 more than "+printable.Quoted(f.Key),
			"the quoted value of %s continues without indentation: YAML 1.2 requires it, and npm's yaml refuses the file", printable.Quote(f.Key))
	}
}

// checkComments reports text that YAML reads as a comment: the rest of a plain
// value after " #". Such values rarely have real comments, see belongsToValue.
func checkComments(p *spec.Pass) {
	block := p.Doc.Block()
	commented := bytes.IndexByte(p.Doc.Source[block.Start:block.End], '#') >= 0
	for i := range p.Doc.Fields {
		f := &p.Doc.Fields[i]
		switch f.Key {
		case "description", "compatibility", "when_to_use":
		default:
			continue
		}
		text := f.Value.Text
		isPlain := f.Value.Style == spec.Plain && !f.Value.Alias && text != ""
		if !commented || !isPlain {
			continue
		}
		end := p.Doc.Within(f, strings.LastIndexByte(text, ' ')+1, len(text)).End
		rest := string([]rune(p.Doc.Line(end.Line))[end.Column-1:])
		comment := strings.TrimLeft(rest, " \t")
		if len(comment) == len(rest) || !strings.HasPrefix(comment, "#") || !belongsToValue(comment[1:]) {
			continue
		}
		column := end.Column + utf8.RuneCountInString(rest) - utf8.RuneCountInString(comment)
		comment = strings.TrimRight(comment, " \t")
		p.Report(p.Doc.Lines().Span(end.Line, column, column+utf8.RuneCountInString(comment)),
			"quote the value: "+shorten(f.Key+": "+frontmatter.Quote(f.Value.Text+strings.TrimRight(rest, " \t"))),
			`" #" starts a comment that cuts off the value of %s: %s is lost`, printable.Quote(f.Key), printable.Quote(comment))
	}
}

// belongsToValue reports whether the text after a # belongs to the value rather than
// to a comment: no space follows the #, as in #12 or #tag.
func belongsToValue(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	if rest == "" || unicode.IsSpace(first) || strings.ContainsRune("#-=*~_", first) { // a ruler
		return false
	}
	word, _, _ := strings.Cut(strings.ToLower(rest), " ")
	word, _, _ = strings.Cut(word, "(") // without the author
	return !slices.Contains([]string{"todo", "fixme", "xxx", "hack", "note", "noqa", "nosec", "region", "endregion", "yamllint", "yaml-lint"}, strings.TrimRight(word, ":.!"))
}
