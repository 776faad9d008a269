package markdown

import "bytes"

// headingLine is a heading that was taken, with the words it shows.
type headingLine struct {
	at    int
	words string
}

// headingLevel is how many # make a line at the margin a heading, 0 for none.
func headingLevel(line []byte) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n == len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// heading takes the heading at a place and returns where it ends, -1 where it
// is left: with marks at its end, links, emphasis, entities or an attribute.
func (s *skimmer) heading(at int) int {
	end := s.lineEnd(at)
	level := headingLevel(s.src[at:end])
	from, to, ok := s.trim(at+level, end)
	words := s.src[from:to]
	if level == 0 || !ok || bytes.ContainsAny(words, "#_\\&[<") {
		return -1
	}
	if bytes.IndexByte(words, '`') >= 0 {
		if bytes.Contains(words, []byte("``")) || padded(words) {
			return -1
		}
		words = bytes.ReplaceAll(words, []byte("`"), nil)
	}
	if !s.inline(from, to) {
		return -1
	}
	s.b.headings = append(s.b.headings, headingLine{at, string(words)})
	return end
}

// padded reports whether a text between single backticks starts and ends with
// a blank, which are not shown.
func padded(words []byte) bool {
	for i, span := range bytes.Split(words, []byte("`")) {
		if n := len(span); i%2 == 1 && n > 0 && span[0] == ' ' && span[n-1] == ' ' {
			return true
		}
	}
	return false
}

// fenceAt is the length of the fence that opens a block of code at a place, 0
// where none does.
func (s *skimmer) fenceAt(at int) int {
	c := s.src[at]
	if c != '`' && c != '~' {
		return 0
	}
	n := 1
	for at+n < len(s.src) && s.src[at+n] == c {
		n++
	}
	if n < 3 || c == '`' && bytes.IndexByte(s.src[at+n:s.lineEnd(at+n)], '`') >= 0 {
		return 0
	}
	return n
}

// fence takes the block of code whose fence is at a place, if it is closed.
func (s *skimmer) fence(at int) int {
	length, mark := s.fenceAt(at), s.src[at]
	end := s.lineEnd(at)
	info := bytes.Trim(s.src[at+length:end], " \n")
	if bytes.IndexByte(info, '\t') >= 0 {
		return -1
	}
	if i := bytes.IndexByte(info, ' '); i >= 0 {
		info = info[:i]
	}
	code := Code{Block: true, Lang: string(info), Start: at, End: at}
	first := len(s.b.stretches)
	for at = end; at < len(s.src); at = end {
		end = s.lineEnd(at)
		if closes(s.src[at:end], mark, length) {
			s.b.code(code, first)
			return end
		}
		if len(s.b.stretches) == first {
			code.Start = at
		}
		code.End = end
		s.b.stretches = append(s.b.stretches, Stretch{at, end})
	}
	return -1
}

// fenceEnd is where the block of code ends whose fence is at a place.
func (s *skimmer) fenceEnd(at int) int {
	length, mark := s.fenceAt(at), s.src[at]
	for at = s.lineEnd(at); at < len(s.src); {
		end := s.lineEnd(at)
		if closes(s.src[at:end], mark, length) {
			return end
		}
		at = end
	}
	return at
}

// closes reports whether a line ends a block of code.
func closes(line []byte, mark byte, length int) bool {
	i := indentOf(line)
	if i > 3 || i == len(line) || line[i] != mark {
		return false
	}
	n := i
	for n < len(line) && line[n] == mark {
		n++
	}
	for j := n; j < len(line); j++ {
		if !isSpace(line[j]) {
			return false
		}
	}
	return n-i >= length
}

// paragraph takes the paragraph at a place. What can interrupt one ends it.
func (s *skimmer) paragraph(at int) int {
	for first := true; at < len(s.src); first = false {
		end := s.lineEnd(at)
		line := s.src[at:end]
		if blank(line) {
			return at
		}
		if !first && (line[0] == '>' || headingLevel(line) > 0 || s.fenceAt(at) > 0 || s.interrupts(at)) {
			return at
		}
		if !s.textLine(at, end) {
			return -1
		}
		at = end
	}
	return at
}

// textLine takes a line of a paragraph, behind its indentation.
func (s *skimmer) textLine(at, end int) bool {
	from, to, ok := s.trim(at, end)
	return ok && s.startsText(from, to) && s.inline(from, to)
}

// trim returns a stretch without the blanks at its ends and the line break,
// and whether it starts and ends with something that shows.
func (s *skimmer) trim(from, to int) (start, end int, ok bool) {
	if to > from && s.src[to-1] == '\n' {
		to--
	}
	for from < to && s.src[from] == ' ' {
		from++
	}
	for to > from && s.src[to-1] == ' ' {
		to--
	}
	return from, to, from < to && s.src[from] > ' ' && s.src[to-1] > ' '
}

// startsText reports that a text cannot start anything but a paragraph, or be
// the line below a heading.
func (s *skimmer) startsText(from, to int) bool {
	next := byte(' ')
	if from+1 < to {
		next = s.src[from+1]
	}
	switch c := s.src[from]; {
	case isLetter(c), c >= 0x80:
		return true
	case isDigit(c):
		return s.marker(from) == 0
	case c == '-', c == '+', c == '_':
		return isLetter(next) || isDigit(next)
	case c == '*':
		return next > ' ' && next != '*' || next == '*' && from+2 < to && s.src[from+2] > ' ' && s.src[from+2] != '*'
	case c == '[':
		return !s.defs
	case c == '`', c == '~':
		return s.fenceAt(from) == 0
	}
	return bytes.IndexByte([]byte("#<>="), s.src[from]) < 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
