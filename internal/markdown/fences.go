package markdown

import (
	"bytes"
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
// becomes text. Such a page is parsed both ways, and only what both have in
// common is kept.

// intersect keeps only what the other reading of the text also contains. The
// anchors of either reading count, and the comments stay.
func (p *Page) intersect(other *Page) {
	p.Links = both(p.Links, other.Links, func(l Link) Link { return l })
	p.Prose = both(p.Prose, other.Prose, func(s Range) Range { return s })
	p.Code = both(p.Code, other.Code, func(c Code) Range { return Range{c.Start, c.End} })
	maps.Copy(p.Anchors, other.Anchors)
	p.Cut = p.Cut || other.Cut
	if other.Unclosed == nil {
		p.Unclosed = nil
	}
}

// both returns the elements of a list whose keys are also in another list.
func both[T any, K comparable](list, other []T, key func(T) K) []T {
	in := make(map[K]bool, len(other))
	for _, x := range other {
		in[key(x)] = true
	}
	return slices.DeleteFunc(list, func(x T) bool { return !in[key(x)] })
}

// pairNestedFences returns the text without nested fences, paired as a reader would: a
// fence with a language opens a block, one without closes the innermost open
// one. Offsets do not change. It returns nil if no fence is nested in another
// of its length, or if they do not pair up.
func pairNestedFences(src []byte) []byte {
	var out []byte   // copied at the first nested fence
	var open []fence // outermost first
	doubt := false
	end := 0
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
			open = append(open, f)
		case f.length >= open[last].length:
			open = open[:last]
			inner = last > 0
			doubt = doubt || inner && f.length >= open[0].length
		default:
			continue
		}
		if inner && out == nil {
			out = bytes.Clone(src)
		}
		for i := start + f.at; inner && i < end; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	if len(open) > 0 || !doubt {
		return nil
	}
	return out
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
