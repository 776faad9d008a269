package frontmatter

import (
	"bytes"
	"strings"
)

// Within returns the span of the bytes from..to of a field's text, which are not
// only white space; the whole value's if they are not in the file as they read.
// YAML changes the white space of a text and what is escaped, so its words are
// counted.
func (d *Content) Within(f *Field, from, to int) Span {
	v, x := f.Value, d.Lines()
	src := d.Source[:d.block.End]
	at := x.Offset(v.Span.Start)
	switch v.Style {
	case SingleQuoted, DoubleQuoted:
		at++
	case Literal, Folded: // the text starts below its header
		at = x.Offset(Pos{v.Span.Start.Line + 1, 1})
	}
	word := strings.LastIndexAny(v.Text[:from], " \t\n") + 1
	for range len(strings.Fields(v.Text[:word])) {
		at = wordEnd(src, skipSpace(src, at))
	}
	at = skipSpace(src, at)
	if v.Alias || at > len(src) || !bytes.HasPrefix(src[at:], []byte(v.Text[word:to])) {
		return v.Span
	}
	return Span{x.At(at + from - word), x.At(at + to - word)}
}

func skipSpace(src []byte, at int) int {
	for at < len(src) && bytes.IndexByte([]byte(" \t\r\n"), src[at]) >= 0 {
		at++
	}
	return at
}

func wordEnd(src []byte, at int) int {
	for at < len(src) && bytes.IndexByte([]byte(" \t\r\n"), src[at]) < 0 {
		at++
	}
	return at
}
