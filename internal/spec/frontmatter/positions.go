package frontmatter

import (
	"bytes"
	"regexp"
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
	before := len(anyWord.FindAllString(v.Text[:word], -1))
	words := anyWord.FindAllIndex(src[min(at, len(src)):], before+1)
	if v.Alias || len(words) <= before {
		return v.Span
	}
	at += words[before][0]
	if !bytes.HasPrefix(src[at:], []byte(v.Text[word:to])) {
		return v.Span
	}
	return Span{x.At(at + from - word), x.At(at + to - word)}
}

var anyWord = regexp.MustCompile(`[^ \t\r\n]+`)
