package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// Authors who show a fenced block inside another often make both fences of the
// same length:
//
//	```markdown
//	```bash
//	make
//	```
//	See [x](x.md).
//	```
//
// To CommonMark the inner block's end is that of the outer one, and what was
// meant as a sample is text. Such a page is read both ways, and what is not the
// same in both is left out.

// agree keeps of a page what the other reading of its text has as well. Either
// reading's anchors count, and the comments stay.
func (p *Page) agree(other *Page) {
	p.Links = both(p.Links, other.Links)
	p.Prose = both(p.Prose, other.Prose)
	type place struct {
		start, end int
		block      bool
	}
	code := make(map[place]bool, len(other.Code))
	for _, c := range other.Code {
		code[place{c.Start, c.End, c.Block}] = true
	}
	p.Code = slices.DeleteFunc(p.Code, func(c Code) bool { return !code[place{c.Start, c.End, c.Block}] })
	for name := range other.Anchors {
		p.Anchors[name] = true
	}
	p.Cut = p.Cut || other.Cut
}

// both returns the elements that two lists share, in the order of the first.
func both[T comparable](a, b []T) []T {
	in := make(map[T]bool, len(b))
	for _, x := range b {
		in[x] = true
	}
	return slices.DeleteFunc(a, func(x T) bool { return !in[x] })
}

// asMeant returns the text without the fences that are inside others, as a
// reader who pairs them sees it: a fence with a language opens a block, one
// without closes the last that is open. Every byte keeps its place. Nil where
// no fence is inside another one of its length, or where they do not pair up.
func asMeant(src []byte) []byte {
	var out []byte
	var open []fence // the outer one first
	doubt := false
	end := 0
	for line := range bytes.Lines(src) {
		start := end
		end += len(line)
		f, ok := fenceIn(line)
		last := len(open) - 1
		switch {
		case !ok || last >= 0 && f.mark != open[0].mark:
		case last < 0:
			open = append(open, f)
		case f.info:
			open = append(open, f)
			out = blanked(out, src, start+f.at, end)
		case f.length >= open[last].length:
			if open = open[:last]; last > 0 {
				out = blanked(out, src, start+f.at, end)
				doubt = doubt || f.length >= open[0].length
			}
		}
	}
	if len(open) > 0 || !doubt {
		return nil
	}
	return out
}

// blanked puts spaces for a stretch of src, in out, which is a copy of src made
// when first needed. Line ends stay.
func blanked(out, src []byte, start, end int) []byte {
	if out == nil {
		out = bytes.Clone(src)
	}
	for i := start; i < end; i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
	return out
}

// fence is a line that opens or closes a block of code.
type fence struct {
	mark       byte
	at, length int  // where its marks start on the line, and how many there are
	info       bool // whether a language is named behind them
}

// fenceIn reads a line as a fence; marks of lists and quotations may be before
// it.
func fenceIn(line []byte) (f fence, ok bool) {
	rest := line
	for len(rest) > 0 && (rest[0] >= '0' && rest[0] <= '9' || strings.IndexByte(" \t>-*+.)", rest[0]) >= 0) {
		rest = rest[1:]
	}
	if len(rest) < 3 || rest[0] != '`' && rest[0] != '~' {
		return fence{}, false
	}
	info := bytes.TrimLeft(rest, string(rest[:1]))
	f = fence{mark: rest[0], at: len(line) - len(rest), length: len(rest) - len(info)}
	info = bytes.TrimSpace(info)
	f.info = len(info) > 0
	return f, f.length >= 3 && (f.mark == '~' || bytes.IndexByte(info, '`') < 0)
}
