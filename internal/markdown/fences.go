package markdown

import (
	"bytes"
	"cmp"
	"maps"
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
// In CommonMark the inner fence ends the outer block, so part of the sample
// becomes text, and the text after it code. Such a page is parsed both ways. In
// the sample, only what both have in common is kept; elsewhere the page is what
// its author and a model read.

// readAsMeant changes the page to the other reading, in which fences are paired as a
// reader would. In the samples only what both contain is kept. The anchors and comments
// of either reading count.
func (p *Page) readAsMeant(meant *Page, samples []Range) {
	isSample := func(at int) bool {
		i, _ := slices.BinarySearchFunc(samples, at+1, func(r Range, at int) int { return cmp.Compare(r.Start, at) })
		return i > 0 && at < samples[i-1].End
	}
	p.Links = agreed(p.Links, meant.Links, func(l Link) Link { return l }, func(l Link) bool { return isSample(l.Start) })
	p.Prose = agreed(p.Prose, meant.Prose, func(s Range) Range { return s }, func(s Range) bool { return isSample(s.Start) })
	p.Code = agreed(p.Code, meant.Code, func(c Code) Range { return Range{c.Start, c.End} }, func(c Code) bool { return isSample(c.Start) })
	p.Headings = agreed(p.Headings, meant.Headings, func(h Heading) int { return h.Start }, func(h Heading) bool { return isSample(h.Start) })
	p.Comments = union(p.Comments, meant.Comments)
	maps.Copy(p.Anchors, meant.Anchors)
	p.Cut = p.Cut || meant.Cut
	if meant.Unclosed == nil {
		p.Unclosed = nil
	}
	sortPage(p)
}

// agreed returns the elements of the meant list, without those of a sample that the other
// list does not have.
func agreed[T any, K comparable](list, meant []T, key func(T) K, isSample func(T) bool) []T {
	in := make(map[K]bool, len(list))
	for _, x := range list {
		in[key(x)] = true
	}
	return slices.DeleteFunc(meant, func(x T) bool { return isSample(x) && !in[key(x)] })
}

// union returns the comments of both lists.
func union(list, other []Comment) []Comment {
	in := make(map[int]bool, len(list))
	for _, c := range list {
		in[c.Start] = true
	}
	return append(list, slices.DeleteFunc(other, func(c Comment) bool { return in[c.Start] })...)
}

// pairNestedFences returns the text without nested fences, paired as a reader would: a
// fence with a language opens a block, one without closes the innermost open
// one. Offsets do not change. It returns nil if no fence is nested in another
// of its length, or if they do not pair up. The samples are the blocks with nested fences.
func pairNestedFences(src []byte) (out []byte, samples []Range) {
	var open []fence // outermost first
	doubt, nested := false, false
	end, outer := 0, 0
	for line := range bytes.Lines(src) {
		start := end
		end += len(line)
		f, ok := fenceIn(line)
		last := len(open) - 1
		inner := last >= 0 && ok && f.mark == open[0].mark
		switch {
		case !ok || last >= 0 && !inner:
			continue
		case last < 0 || f.info:
			if last < 0 {
				outer, nested = start, false
			}
			open = append(open, f)
		case f.length >= open[last].length:
			open = open[:last]
			inner = last > 0
			if last == 0 && nested {
				samples = append(samples, Range{outer, end})
			}
			doubt = doubt || inner && f.length >= open[0].length
		default:
			continue
		}
		nested = nested || inner
		if inner && out == nil {
			out = bytes.Clone(src) // at the first nested fence
		}
		for i := start + f.at; inner && i < end; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	if len(open) > 0 || !doubt {
		return nil, nil
	}
	return out, samples
}

// fence is a line that opens or closes a code block.
type fence struct {
	mark       byte
	at, length int  // offset of its marks on the line, and their number
	info       bool // whether a language follows
}

// fenceIn parses a line as a fence, which list and quotation marks may precede.
func fenceIn(line []byte) (f fence, ok bool) {
	rest := line
	precedes := func(c byte) bool { return c >= '0' && c <= '9' || strings.IndexByte(" \t>-*+.)", c) >= 0 }
	for len(rest) > 0 && precedes(rest[0]) {
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
