package strictyaml

import "strings"

// plain scans an unquoted scalar, over several lines where they are indented
// enough. It ends at a colon or a # with a blank beside it, and at a tab.
func (s *scanner) plain(q *queue) error {
	if err := s.offerKey(q); err != nil {
		return err
	}
	s.keyAllows = false
	c := s.cur
	t := &token{kind: scalar, plain: true, start: c.at, end: c.at}
	var text, gap strings.Builder
	blankLine := false
	for c.peek(0) != '#' {
		n := plainRun(c)
		if n == 0 {
			break
		}
		s.keyAllows = false
		text.WriteString(gap.String())
		text.WriteString(c.take(n))
		t.end = c.at
		gap.Reset()
		found, blank := s.plainGap(&gap)
		blankLine = blank
		if !found || c.at.indent < s.indent+1 {
			break
		}
	}
	t.text = text.String()
	// Empty lines behind the scalar are kept as a comment on it.
	if blankLine {
		t.addAfter()
	}
	q.push(t)
	return nil
}

// plainRun counts the characters up to what may end a plain scalar.
func plainRun(c *cursor) int {
	for n := 0; ; n++ {
		r := c.peek(n)
		if isBlankOrEnd(r) || r == ':' && isBlankOrEnd(c.peek(n+1)) {
			return n
		}
	}
}

// plainGap scans the white space inside or behind a plain scalar into gap, in
// the form that it takes if the scalar goes on: spaces stay, one line break is
// a space, of more the first goes. It reports whether there was any, and
// whether the gap is nothing but line breaks from an empty line on.
func (s *scanner) plainGap(gap *strings.Builder) (found, blankLine bool) {
	c := s.cur
	n := 0
	for c.peek(n) == ' ' {
		n++
	}
	spaces := c.take(n)
	if !isBreak(c.peek(0)) {
		gap.WriteString(spaces)
		return n > 0, false
	}
	first := c.lineBreak()
	s.keyAllows = true
	if c.documentMarker() {
		return false, false
	}
	var breaks strings.Builder
	for c.peek(0) == ' ' || isBreak(c.peek(0)) {
		if c.skip(' ') {
			continue
		}
		breaks.WriteString(c.lineBreak())
		if c.documentMarker() {
			return false, false
		}
	}
	rest := breaks.String()
	switch {
	case first != "\n":
		gap.WriteString(first)
	case rest == "":
		gap.WriteByte(' ')
	}
	gap.WriteString(rest)
	return true, first == "\n" && strings.HasPrefix(rest, "\n")
}
