package spec

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec/strictyaml"
)

// maxTabs bounds how many tabs of one frontmatter are told of: each needs
// another look.
const maxTabs = 10

// refused reports what else the reference library refuses of YAML that others
// read: tabs beside values, mappings that are indented differently.
func (p *Pass) refused() {
	d := p.Doc
	if !p.mayBeRefused() {
		return
	}
	head := bytes.Clone(d.Source[:d.Block().End])
	for range maxTabs {
		text := strings.ReplaceAll(string(head[len("---"):]), "\r\n", "\n")
		_, err := strictyaml.Parse(text)
		var at *strictyaml.Error
		if !errors.As(err, &at) {
			return
		}
		switch at.Reason {
		case strictyaml.FlowStyle, strictyaml.Duplicate, strictyaml.ComplexKey:
			return // a list where text is wanted, an error already
		}
		span := d.referenceSpan(at.Line, at.Column, 1)
		offset := d.Lines().Offset(span.Start)
		if offset >= len(head) || head[offset] != '\t' {
			if !p.extended() {
				p.Report(span, "the specification does not ask for that, but other tools build on this library",
					"valid YAML that the reference library does not read: %s", strings.TrimSuffix(at.Message, ", which the reference library refuses"))
			}
			return
		}
		end := offset + stretch(string(head), offset, isBlank)
		fix, where, help := d.tabFix(offset, end), "beside a value", "write a space instead"
		switch {
		case strings.TrimSpace(d.Line(span.Start.Line)) == "":
			where, help = "on a blank line", "delete it"
		case fix == nil:
			where = "inside a plain value"
		}
		p.ReportFix(d.SourceSpan(offset, end), fix, help,
			"a tab %s: the reference library and the vendors' upload checks refuse the file", where)
		for ; offset < end; offset++ {
			head[offset] = ' '
		}
	}
}

// mayBeRefused is a cheap look at whether the reference library may refuse
// what the YAML parser took: a plain frontmatter of text fields and flat
// metadata, without comments, escapes and blank lines, is read by both.
func (p *Pass) mayBeRefused() bool {
	text := p.Doc.Source[p.Doc.Block().Start:p.Doc.Block().End]
	if bytes.IndexByte(text, '\t') >= 0 {
		return true
	}
	if p.extended() {
		return false
	}
	for _, f := range p.Doc.Fields {
		if oddKey(f) || !f.Value.Scalar() && (f.Key != "metadata" || !flat(f.Value)) {
			return true
		}
	}
	for _, r := range string(text) {
		if r == '#' || r == '%' || r == '\\' || r == '?' || r == '!' || r >= 0x7F && r < 0xA0 || r == 0x2028 || r == 0x2029 || r == '\uFEFF' || r == 0xFFFE || r == 0xFFFF {
			return true
		}
	}
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 || len(line) > 1000 {
			return true
		}
	}
	return false
}

// flat reports a mapping of plain keys to texts.
func flat(v Value) bool {
	return v.Kind == Mapping && !slices.ContainsFunc(v.Fields, func(f Field) bool { return !f.Value.Scalar() || oddKey(f) })
}

// oddKey reports a key that is not just a word.
func oddKey(f Field) bool {
	return f.Key == "" || f.Key == "=" || f.KeySpan.End.Column-f.KeySpan.Start.Column != utf8.RuneCountInString(f.Key)
}

// extended reports whether the frontmatter has fields for which the reference
// library refuses it anyway.
func (p *Pass) extended() bool {
	return slices.ContainsFunc(p.Doc.Fields, func(f Field) bool { return !isSpecField(f.Key) })
}

// tabFix replaces blanks around a value; inside one they are its text, and
// left to a person.
func (d *Document) tabFix(start, end int) *Fix {
	line := d.Lines().At(start).Line
	text := d.Lines().Text(line)
	from := d.Lines().Starts[line-1]
	before := bytes.TrimRight(text[:start-from], " \t")
	after := bytes.TrimLeft(text[end-from:], " \t")
	fix := Fix{Description: "replace the tab", Edits: []Edit{{Start: start, End: end, Text: " "}}}
	switch {
	case len(after) == 0:
		fix.Description, fix.Edits[0].Text = "delete the tab", ""
	case after[0] == '#', bytes.HasSuffix(before, []byte(":")) && bytes.IndexByte(before, ':') == len(before)-1:
	default:
		return nil
	}
	return &fix
}
