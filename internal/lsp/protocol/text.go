package protocol

// A position of the protocol counts UTF-16 units of a line, or bytes if both sides agree;
// positions of findings count code points. All are converted by way of byte offsets, which
// are the same for everyone. What a position means beyond the end of its line is its end.

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// Encoding is the unit of the columns in positions.
type Encoding string

// The encodings of positions. UTF16 is the one that every client has.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Text is a text with its lines and the encoding of positions in it. The bytes are not
// changed.
type Text struct {
	frontmatter.Lines
	Encoding Encoding
}

// NewText returns a text for conversions.
func NewText(src []byte, encoding Encoding) Text {
	return Text{frontmatter.IndexLines(src), encoding}
}

// units returns how many units of the encoding a character of the given size in bytes has.
func (t Text) units(r rune, size int) int {
	switch t.Encoding {
	case UTF8:
		return size
	case UTF32:
		return 1
	}
	return max(utf16.RuneLen(r), 1)
}

// Offset returns the byte offset of a position. One beyond the end of its line is the end
// of the line, one within a character is its start, and one beyond the text is its end.
func (t Text) Offset(p Position) int {
	if int64(p.Line) >= int64(len(t.Starts)) {
		return len(t.Source)
	}
	at := t.Starts[p.Line]
	line := t.Text(int(p.Line) + 1)
	for left := int(p.Character); left > 0 && len(line) > 0; {
		r, size := utf8.DecodeRune(line)
		left -= t.units(r, size)
		if left < 0 {
			break
		}
		at, line = at+size, line[size:]
	}
	return at
}

// Position returns the position of a byte offset.
func (t Text) Position(offset int) Position {
	start := t.At(offset) // finds the line
	at := t.Starts[start.Line-1]
	n := 0
	for line := t.Text(start.Line); at < offset && len(line) > 0; {
		r, size := utf8.DecodeRune(line)
		if at+size > offset {
			break
		}
		n += t.units(r, size)
		at, line = at+size, line[size:]
	}
	return Position{uint32(start.Line - 1), uint32(n)}
}

// Range returns the range between two byte offsets.
func (t Text) Range(start, end int) Range {
	return Range{t.Position(start), t.Position(max(start, end))}
}

// OfSpan returns the range of a finding's span; the zero span is the start of the text.
func (t Text) OfSpan(s spec.Span) Range {
	if s.Start.Line == 0 {
		return Range{}
	}
	return t.Range(t.Lines.Offset(s.Start), t.Lines.Offset(s.End))
}

// ErrTooLarge is returned for a text that is larger than the limit.
var ErrTooLarge = errors.New("the text is too large")

// Apply returns a text after changes, each of which refers to the text that the one before
// it leaves. A text of more than limit bytes is ErrTooLarge.
func Apply(src []byte, changes []ContentChange, encoding Encoding, limit int) ([]byte, error) {
	for _, c := range changes {
		if c.Range == nil {
			src = []byte(c.Text)
		} else {
			t := NewText(src, encoding)
			start, end := t.Offset(c.Range.Start), t.Offset(c.Range.End)
			if end < start {
				start, end = end, start
			}
			out := make([]byte, 0, len(src)-(end-start)+len(c.Text))
			out = append(append(out, src[:start]...), c.Text...)
			src = append(out, src[end:]...)
		}
		if len(src) > limit {
			return nil, ErrTooLarge
		}
	}
	return src, nil
}
