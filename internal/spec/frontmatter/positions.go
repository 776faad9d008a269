package frontmatter

import (
	"bytes"
	"strings"

	"skills/internal/lazyregexp"
)

// Within returns the span of bytes from..to of a field's text, which must
// contain more than white space. If they are not in the source verbatim, it
// returns the span of the whole value. YAML changes white space and escapes, so
// it counts words.
func (d *Content) Within(f *Field, from, to int) Span {
	v, x := f.Value, d.Lines()
	src := d.Source[:d.block.End]
	at := x.Offset(v.Span.Start)
	switch v.Style {
	case SingleQuoted, DoubleQuoted:
		at++
	case Literal, Folded: // the text starts below the header
		at = x.Offset(Pos{v.Span.Start.Line + 1, 1})
	}
	word := strings.LastIndexAny(v.Text[:from], " \t\n") + 1
	before := len(anyWord().FindAllString(v.Text[:word], -1))
	words := anyWord().FindAllIndex(src[min(at, len(src)):], before+1)
	if v.Alias || len(words) <= before {
		return v.Span
	}
	at += words[before][0]
	if !bytes.HasPrefix(src[at:], []byte(v.Text[word:to])) {
		return v.Span
	}
	return Span{x.At(at + from - word), x.At(at + to - word)}
}

var anyWord = lazyregexp.New(`[^ \t\r\n]+`)
