package frontmatter

// Positions are lines and columns for people, and byte offsets for everything else. The
// index of a file converts between the two.

import (
	"bytes"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// Pos is a position in a file: line and column from 1, with columns in code
// points. The zero Pos is invalid.
type Pos struct{ Line, Column int }

// Span is a range in a file; End is just past its last character.
type Span struct{ Start, End Pos }

// ByteColumns holds the columns of a span, from 1, in bytes of UTF-8.
type ByteColumns struct{ Start, End int }

// Bytes returns the columns of a span in bytes.
func (x Lines) Bytes(s Span) ByteColumns {
	column := func(p Pos) int {
		if p.Line < 1 || p.Line > len(x.Starts) {
			return 1
		}
		return x.Offset(p) - x.Starts[p.Line-1] + 1
	}
	return ByteColumns{column(s.Start), column(s.End)}
}

// Lines is an index of the lines of a file. A line ends with \n, \r\n or a lone
// \r, as in YAML and CommonMark.
type Lines struct {
	Source []byte
	Starts []int // byte offset of each line

	// far is the last position in a long line, from which the next one is counted:
	// a rule finds many in one line.
	far *atomic.Pointer[farPos]
}

// farPos is the column of an offset.
type farPos struct{ offset, column int }

// IndexLines builds the index of a text.
func IndexLines(src []byte) Lines {
	const usual = 32 // bytes per line
	starts := make([]int, 1, 16+len(src)/usual)
	next := func(text []byte) int { return bytes.IndexByte(text, '\n') }
	if bytes.IndexByte(src, '\r') >= 0 {
		next = func(text []byte) int { return bytes.IndexAny(text, "\r\n") }
	}
	for i := 0; i < len(src); {
		n := next(src[i:])
		if n < 0 {
			break
		}
		i += n + 1
		if src[i-1] == '\r' && i < len(src) && src[i] == '\n' {
			i++
		}
		starts = append(starts, i)
	}
	return Lines{Source: src, Starts: starts, far: new(atomic.Pointer[farPos])}
}

// Count returns the number of lines; a line break at the end of the file does
// not start another line.
func (x Lines) Count() int {
	n := len(x.Starts)
	if x.Starts[n-1] == len(x.Source) {
		n--
	}
	return n
}

// Text returns line n (from 1) without its line break, or nil outside the file.
func (x Lines) Text(n int) []byte {
	if n < 1 || n > len(x.Starts) {
		return nil
	}
	end := len(x.Source)
	if n < len(x.Starts) {
		end = x.Starts[n]
	}
	return bytes.TrimRight(x.Source[x.Starts[n-1]:end], "\r\n")
}

// Offset returns the byte offset of a position, clamped to the file.
func (x Lines) Offset(p Pos) int {
	if p.Line < 1 || p.Line > len(x.Starts) {
		return len(x.Source)
	}
	at := x.Starts[p.Line-1]
	for n := 1; n < p.Column && at < len(x.Source); n++ {
		_, size := utf8.DecodeRune(x.Source[at:])
		at += size
	}
	return at
}

// Span returns the range of line n between two columns in code points, clamped
// to the line; to = 0 means the end of the line.
func (x Lines) Span(n, from, to int) Span {
	n = min(max(n, 1), len(x.Starts))
	last := utf8.RuneCount(x.Text(n)) + 1
	if to < 1 || to > last {
		to = last
	}
	from = min(max(from, 1), to)
	return Span{Pos{n, from}, Pos{n, to}}
}

// Line returns the span of line n without surrounding white space.
func (x Lines) Line(n int) Span {
	text := x.Text(n)
	lead := len(text) - len(bytes.TrimLeft(text, " \t"))
	return x.Span(n, lead+1, utf8.RuneCount(bytes.TrimRight(text, " \t"))+1)
}

// Line returns line n of the file (from 1) without its line break, or ""
// outside the file.
func (d *Content) Line(n int) string { return string(d.Lines().Text(n)) }

// Lines returns the line index of the file.
func (d *Content) Lines() Lines {
	if d.index == nil {
		x := IndexLines(d.Source)
		d.index = &x
	}
	return *d.index
}

// Place returns the span of the character at a byte offset.
func (x Lines) Place(offset int) Span {
	start := x.At(offset)
	return x.Span(start.Line, start.Column, start.Column+1)
}

// At returns the position of a byte offset.
func (x Lines) At(offset int) Pos {
	offset = min(max(offset, 0), len(x.Source))
	n, found := slices.BinarySearch(x.Starts, offset)
	if !found {
		n--
	}
	const long = 1 << 10 // bytes
	from, column := x.Starts[n], 1
	if offset-from < long || x.far == nil {
		return Pos{n + 1, column + utf8.RuneCount(x.Source[from:offset])}
	}
	if last := x.far.Load(); last != nil && from < last.offset && last.offset <= offset {
		from, column = last.offset, last.column
	}
	column += utf8.RuneCount(x.Source[from:offset])
	if offset == len(x.Source) || utf8.RuneStart(x.Source[offset]) { // not inside a character
		x.far.Store(&farPos{offset, column})
	}
	return Pos{n + 1, column}
}
