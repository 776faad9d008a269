package spec

import (
	"bytes"
	"fmt"
	"strings"
)

var yamlPortability = &Rule{
	ID:     "yaml-portability",
	Title:  "the frontmatter uses only YAML that all known parsers read alike",
	Level:  Warning,
	Source: "parsers of known clients and of the reference library, each tried with such files",
	Fix:    "takes white space after fences and tabs between fields away, ends lines as usual, indents quoted text that goes on, writes a flow mapping as a block",
	Check: func(p *Pass) {
		before := p.reported
		p.lineEnds()
		p.fences()
		p.dashes()
		p.features()
		if p.reported == before && len(p.Doc.Faults) == 0 {
			p.refused()
		}
		p.cutOff()
	},
}

// lineEnds reports lines of the frontmatter that a lone carriage return ends.
func (p *Pass) lineEnds() {
	src := p.Doc.Source
	first := loneReturn(src[:p.Doc.Block().BodyStart], 0)
	if first < 0 {
		return
	}
	var fix Fix
	for i := first; i >= 0; i = loneReturn(src, i+1) {
		fix.Edits = append(fix.Edits, Edit{Start: i, End: i + 1, Text: "\n"})
	}
	fix.Description = "end lines with a line feed"
	line := p.Doc.Lines().At(first).Line
	p.ReportFix(p.Doc.Lines().Line(line), &fix, "save the file with \\n or \\r\\n at the ends of lines",
		"this line ends with a lone carriage return (\\r): Gemini CLI, opencode, Google ADK and others find no frontmatter in such a file")
}

// loneReturn is the offset of the first \r without \n from an offset on, -1
// where there is none.
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

// fences reports white space after the dashes.
func (p *Pass) fences() {
	for _, fence := range []struct {
		line      int
		name, who string
	}{
		{p.Doc.Block().Line - 1, "opening", "Gemini CLI, Google ADK and the vendors' upload checks find no frontmatter"},
		{p.Doc.BodyLine - 1, "closing", "Google ADK and some validators do not take it for the end of the frontmatter"},
	} {
		text := p.Doc.Line(fence.line)
		bare := strings.TrimRight(text, " \t")
		if bare == text {
			continue
		}
		span := p.Doc.Lines().Span(fence.line, len([]rune(bare))+1, len([]rune(text))+1)
		p.ReportFix(span, &Fix{Description: "delete the white space", Edits: []Edit{p.Doc.Edit(span, "")}},
			"write --- and nothing else on the line",
			"white space after the %s ---: %s", fence.name, fence.who)
	}
}

// dashes reports the first --- inside the frontmatter.
func (p *Pass) dashes() {
	b := p.Doc.Block()
	at := bytes.Index(p.Doc.Source[b.Start:b.End], []byte("---"))
	if at < 0 {
		return
	}
	p.Report(p.Doc.SourceSpan(b.Start+at, b.Start+at+3), "write another dash, or fewer of them",
		"--- inside the frontmatter: the reference library takes it for the closing fence and loses what follows")
}

// features reports what is YAML but not read, or not read alike, by all.
func (p *Pass) features() {
	if p.Doc.Style == Flow {
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
			continue // its client reads YAML; nobody else reads the field
		}
		if f.Key == "metadata" && f.Value.Kind == Mapping && f.Value.Style == Flow && !f.Value.Alias && p.Doc.Style != Flow {
			p.ReportFix(f.Value.Span, p.Doc.flowFix(f),
				"write one key a line, indented, under metadata:",
				"metadata is in flow style ({…}), which the reference library refuses")
		}
		p.explicitKey(f)
		p.valueFeatures(f.Value)
		p.marginQuotes(f)
	}
}

// explicitKey reports a key of the specification that is written as ? key.
func (p *Pass) explicitKey(f *Field) {
	start := f.KeySpan.Start
	before := []rune(p.Doc.Line(start.Line))
	if before = before[:min(start.Column-1, len(before))]; !isSpecField(f.Key) || strings.TrimSpace(string(before)) != "?" {
		return
	}
	mark := strings.IndexByte(string(before), '?') + 1
	p.Report(p.Doc.Lines().Span(start.Line, mark, mark+1), "write "+f.Key+": and the value on one line",
		"the key %s is marked with ?: Microsoft Agent Framework, and others that read line by line, do not find it", f.Key)
}

// valueFeatures reports aliases, anchors and tags in a value. What an alias
// stands for is reported at its anchor.
func (p *Pass) valueFeatures(v Value) {
	if p.Full() {
		return
	}
	const help = "write the text out"
	switch {
	case v.Alias:
		p.Report(v.Span, help, "alias *%s: the reference library refuses it, parsers that read line by line keep it as text", show(v.Anchor))
		return
	case v.Anchor != "":
		p.anchor(v)
	case v.Tag == "" && v.Style == Plain && v.Scalar() && strings.HasPrefix(p.Doc.At(v.Span), "! "):
		p.Report(p.Doc.Lines().Span(v.Span.Start.Line, v.Span.Start.Column, v.Span.Start.Column+1), p.meant(v),
			"the ! before the text is a tag, and no part of it: the reference library refuses it, parsers that read line by line keep it as text")
	case strings.HasPrefix(v.Tag, "!!") || v.Tag != "" && !v.Scalar(): // others on a scalar are errors
		p.Report(v.Span, fmt.Sprintf("delete %s, and quote the value if it is not text without it", show(v.Tag)),
			"tag %s: the reference library and Microsoft Agent Framework refuse it", show(v.Tag))
	}
	for _, item := range v.Items {
		p.valueFeatures(item)
	}
	for _, f := range v.Fields {
		p.valueFeatures(f.Value)
	}
}
