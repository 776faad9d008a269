package spec

import (
	"bytes"
	"unicode/utf8"
)

// decodePlain reads a frontmatter in which every field is on one line, as most
// are, in a small part of the time that YAML takes. It returns false, and does
// nothing, wherever there is the least doubt what the YAML parser says:
// FuzzDecodePlain holds that it says the same.
func (d *Document) decodePlain(yamlText []byte) bool {
	if !utf8.Valid(yamlText) {
		return false
	}
	p := plainReader{looker: looker{rest: yamlText}, at: d.block.Line - 1}
	fields, ok := p.fields()
	if !ok || len(fields) == 0 {
		return false
	}
	d.Mapping, d.Fields, d.Style = true, fields, Indented
	return true
}

// maxPlain is how many fields of one mapping are read that way: each is compared
// with those before it.
const maxPlain = 100

// plainReader makes fields of the lines of a frontmatter.
type plainReader struct {
	looker
	at int // line of the file before the first one
}

// line goes to the next line.
func (p *plainReader) line() bool {
	p.at++
	return p.next() && !p.closed
}

// fields reads the mapping at the margin.
func (p *plainReader) fields() (fields []Field, ok bool) {
	fields = make([]Field, 0, 8)
	for p.line() {
		f, value, ok := p.entry(0, fields)
		if !ok {
			return nil, false
		}
		if value == "" {
			if f.Value, ok = p.mapping(); !ok {
				return nil, false
			}
		}
		fields = append(fields, f)
	}
	return fields, !p.closed
}

// mapping reads the indented lines that follow.
func (p *plainReader) mapping() (v Value, ok bool) {
	v = Value{Kind: Mapping, Style: Indented}
	indent := len(p.rest) - len(bytes.TrimLeft(p.rest, " "))
	if indent == 0 {
		return v, false
	}
	for len(p.rest) > 0 && p.rest[0] == ' ' {
		if !p.line() || len(p.looker.line) <= indent {
			return v, false
		}
		f, value, ok := p.entry(indent, v.Fields)
		if !ok || value == "" {
			return v, false
		}
		if len(v.Fields) == 0 {
			v.Span = Span{f.KeySpan.Start, f.Value.Span.End}
		}
		v.Fields = append(v.Fields, f)
	}
	return v, true
}

// entry reads a line with one field, whose value is still to come if it is "".
func (p *plainReader) entry(indent int, before []Field) (f Field, value string, ok bool) {
	for _, c := range []byte(p.looker.line[:indent]) {
		if c != ' ' {
			return f, "", false
		}
	}
	key, value, ok := p.field(indent)
	if !ok || len(before) == maxPlain {
		return f, "", false
	}
	for _, other := range before {
		if other.Key == key {
			return f, "", false
		}
	}
	end := indent + len(key) + 1
	f = Field{Key: key, KeySpan: Span{Pos{p.at, indent + 1}, Pos{p.at, end}}}
	if value == "" {
		return f, "", true
	}
	text, ok := scalar(value)
	if !ok {
		return f, "", false
	}
	f.Value = Value{Kind: String, Text: value, Span: Span{Pos{p.at, end + 2}, Pos{p.at, end + 2 + utf8.RuneCountInString(value)}}}
	switch value[0] {
	case '"':
		f.Value.Style = DoubleQuoted
	case '\'':
		f.Value.Style = SingleQuoted
	}
	if f.Value.Style != Plain {
		f.Value.Text = value[1 : len(value)-1]
		ok = len(text) == len(f.Value.Text)
	}
	return f, value, ok
}
