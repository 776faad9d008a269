package spec

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"skills/internal/spec/tokens"
)

// lineIndex knows where the lines of a file start. A line ends with \n, \r\n
// or a lone \r, as YAML and CommonMark have it.
type lineIndex struct {
	src    []byte
	starts []int // byte offset of each line
}

func indexLines(src []byte) lineIndex {
	const usual = 32 // bytes of a line
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
	return lineIndex{src, starts}
}

// hasOddBreaks reports whether a text has line breaks that only the YAML
// parser takes for such.
func hasOddBreaks(text []byte) bool { return bytes.ContainsAny(text, "\u0085\u2028\u2029") }

// indexParserLines is like indexLines with the line breaks that the YAML parser
// counts besides: U+0085, U+2028 and U+2029.
func indexParserLines(src []byte) lineIndex {
	x := indexLines(src)
	for i, r := range string(src) {
		if r == 0x85 || r == 0x2028 || r == 0x2029 {
			x.starts = append(x.starts, i+utf8.RuneLen(r))
		}
	}
	slices.Sort(x.starts)
	return x
}

// count is the number of lines; a line break at the very end starts no line
// of its own.
func (x lineIndex) count() int {
	n := len(x.starts)
	if x.starts[n-1] == len(x.src) {
		n--
	}
	return n
}

// text returns line n (from 1) without its line break, nil outside the file.
func (x lineIndex) text(n int) []byte {
	if n < 1 || n > len(x.starts) {
		return nil
	}
	end := len(x.src)
	if n < len(x.starts) {
		end = x.starts[n]
	}
	return bytes.TrimRight(x.src[x.starts[n-1]:end], "\r\n")
}

// offset returns the byte offset of a place, held inside the file.
func (x lineIndex) offset(p Pos) int {
	if p.Line < 1 || p.Line > len(x.starts) {
		return len(x.src)
	}
	at := x.starts[p.Line-1]
	for n := 1; n < p.Column && at < len(x.src); n++ {
		_, size := utf8.DecodeRune(x.src[at:])
		at += size
	}
	return at
}

// span returns the stretch of line n between two columns in code points,
// held inside the line; to 0 means its end.
func (x lineIndex) span(n, from, to int) Span {
	n = min(max(n, 1), len(x.starts))
	last := utf8.RuneCount(x.text(n)) + 1
	if to < 1 || to > last {
		to = last
	}
	from = min(max(from, 1), to)
	return Span{Pos{n, from}, Pos{n, to}}
}

// line returns the span of line n without surrounding white space.
func (x lineIndex) line(n int) Span {
	text := x.text(n)
	lead := len(text) - len(bytes.TrimLeft(text, " \t"))
	return x.span(n, lead+1, utf8.RuneCount(bytes.TrimRight(text, " \t"))+1)
}

// LineCount is the number of lines of the file.
func (d *Document) LineCount() int { return d.lines().count() }

// BodyTokens is about how many tokens the body costs a model, see
// [tokens.Estimate]. It is counted once.
func (d *Document) BodyTokens() int {
	if d.tokens == nil {
		n := tokens.Estimate(d.Body)
		d.tokens = &n
	}
	return *d.tokens
}

// Line returns line n of the file (from 1) without its line break, "" outside
// the file.
func (d *Document) Line(n int) string { return string(d.lines().text(n)) }

func (d *Document) lines() lineIndex {
	if d.index == nil {
		x := indexLines(d.Source)
		d.index = &x
	}
	return *d.index
}
