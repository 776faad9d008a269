package markdown

import "bytes"

// skimmer takes the blocks out of a text that can be told at a glance, headings,
// plain paragraphs, closed fences and simple lists at the margin, and leaves
// the others to the parser, which needs ten times as long for a line. It takes
// a block only where every reading of CommonMark agrees on it, and where
// nothing before or behind it is read otherwise without it; FuzzSkim holds that
// the page is the same.
type skimmer struct {
	b       *builder
	src     []byte
	left    bool                   // whether a block was left
	since   bool                   // whether one was since a block was taken
	defs    bool                   // whether the text may define the targets of reference links
	next    [len(specials)]Stretch // see nextOf: what was searched
	columns []int                  // room for those of items
	taken   []Stretch              // with the blank lines between blocks that follow on each other
}

// marks are the lengths of a page's lists at some time.
type marks struct{ prose, code, links, headings int }

// breaking is a line that is a block of its own wherever it stands.
const breaking = "***"

// skim returns the text that is left to parse, nil where nothing is.
func (b *builder) skim() []byte {
	for _, c := range []byte("\r\v\f") {
		if bytes.IndexByte(b.src, c) >= 0 {
			return b.src // white space that counts as such in some places only
		}
	}
	s := &skimmer{b: b, src: b.src, defs: bytes.Contains(b.src, []byte("]:"))}
	for k := range s.next {
		s.next[k].Start = len(s.src) + 1
	}
	for at := 0; at >= 0 && at < len(s.src); {
		if end := s.lineEnd(at); blank(s.src[at:end]) {
			at = end
		} else {
			at = s.block(at)
		}
	}
	if !s.left {
		return nil
	}
	rest := bytes.Clone(s.src)
	for _, t := range s.taken {
		// A line across the page, which ends whatever may be open before it.
		line := rest[t.Start:t.End]
		for i := copy(line, breaking); i < len(line); i++ {
			line[i] = ' '
		}
		line[len(line)-1] = '\n'
	}
	return rest
}

// block takes or leaves the block at a line that is not blank and returns where
// the next one starts; -1 where the rest of the text is left.
func (s *skimmer) block(at int) int {
	c := s.src[at]
	if c == ' ' || c == '\t' {
		return s.leave(at, 0)
	}
	p := s.b.page
	before := marks{len(p.Prose), len(p.Code), len(p.Links), len(s.b.headings)}
	var end int
	inner := 0
	switch {
	case c == '#':
		end = s.heading(at)
	case s.fenceAt(at) > 0:
		end = s.fence(at)
	default:
		if inner = s.marker(at); inner > 0 {
			if end = s.list(at, inner); !s.holds(at, inner) {
				inner = 0
			}
		} else {
			end = s.paragraph(at)
		}
	}
	if end-at <= len(breaking) {
		p.Prose, p.Code, p.Links = p.Prose[:before.prose], p.Code[:before.code], p.Links[:before.links]
		s.b.headings = s.b.headings[:before.headings]
		return s.leave(at, inner)
	}
	if n := len(s.taken); n > 0 && !s.since {
		s.taken[n-1].End = end
	} else {
		s.taken = append(s.taken, Stretch{at, end})
	}
	s.since = false
	return end
}

// leave passes over a block that is left, whose lists' texts start at column
// inner, and returns where one starts that cannot be part of it; -1 where that
// cannot be told.
func (s *skimmer) leave(at, inner int) int {
	s.left, s.since = true, true
	html, first := false, true
	for at < len(s.src) {
		end := s.lineEnd(at)
		line := s.src[at:end]
		indent := indentOf(line)
		if indent == len(line) || line[indent] == '\n' {
			if at = s.pastBlanks(end); at == len(s.src) || s.src[at] != ' ' && s.src[at] != '\t' {
				return at
			}
			continue
		}
		sibling := inner > 0 && indent == 0 && s.marker(at) > 0
		if !first && indent < inner {
			inner = 0 // the list ends here
		}
		c := line[indent]
		switch {
		case c == '\t' && indent < 4:
			return -1
		case indent > 3 || inner > 0 && indent >= inner:
		case c == '<':
			if html = true; lasting(line[indent:]) {
				return -1
			}
		case s.fenceAt(at+indent) > 0:
			if indent > 0 || html {
				return -1
			}
			return s.fenceEnd(at)
		case !first && !html && indent == 0 && (sibling || s.interrupts(at) || headingLevel(line) > 0):
			return at
		}
		at, first = end, false
	}
	return at
}

// lasting reports whether a line that starts with < may open HTML that does not
// end at a blank line.
func lasting(line []byte) bool {
	if len(line) < 2 {
		return false
	}
	if line[1] == '!' || line[1] == '?' {
		return !bytes.HasPrefix(line, []byte("<!--")) || !bytes.Contains(line[4:], []byte("-->"))
	}
	for _, name := range []string{"script", "pre", "style", "textarea"} {
		if n := len(name) + 1; len(line) >= n && bytes.EqualFold(line[1:n], []byte(name)) {
			return true
		}
	}
	return false
}

// lineEnd is where the line at a place ends, its line break included.
func (s *skimmer) lineEnd(at int) int {
	if n := bytes.IndexByte(s.src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(s.src)
}

// pastBlanks is where the next line stands that is not blank.
func (s *skimmer) pastBlanks(at int) int {
	for at < len(s.src) {
		end := s.lineEnd(at)
		if !blank(s.src[at:end]) {
			return at
		}
		at = end
	}
	return at
}

func blank(line []byte) bool {
	n := indentOf(line)
	return n == len(line) || line[n] == '\n'
}

func indentOf(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}
