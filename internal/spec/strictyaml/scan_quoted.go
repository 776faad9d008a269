package strictyaml

import "strings"

// quoted scans a scalar in single or double quotes. Indentation plays no part
// inside; only a document marker may not start a line.
func (s *scanner) quoted(q *queue, quote rune) error {
	if err := s.offerKey(q); err != nil {
		return err
	}
	s.keyAllows = false
	c := s.cur
	t := &token{kind: scalar, start: c.at}
	c.advance(1)
	var text strings.Builder
	for {
		if err := s.quotedText(&text, quote, t.start); err != nil {
			return err
		}
		if c.peek(0) == quote {
			break
		}
		if err := s.quotedGap(&text, t.start); err != nil {
			return err
		}
	}
	c.advance(1)
	t.text, t.end = text.String(), c.at
	q.push(t)
	return nil
}

// quotedText scans up to white space, the closing quote or the end.
func (s *scanner) quotedText(text *strings.Builder, quote rune, start mark) error {
	c := s.cur
	for {
		r := c.peek(0)
		switch {
		case isBlankOrEnd(r):
			return nil
		case r == quote && quote == '\'' && c.peek(1) == '\'':
			text.WriteByte('\'')
			c.advance(2)
		case r == quote:
			return nil
		case r == '\\' && quote == '"':
			if err := s.escape(text, start); err != nil {
				return err
			}
		default:
			text.WriteRune(r)
			c.advance(1)
		}
	}
}

// quotedGap scans white space: as it is inside a line, folded at line breaks.
func (s *scanner) quotedGap(text *strings.Builder, start mark) error {
	c := s.cur
	n := 0
	for c.peek(n) == ' ' || c.peek(n) == '\t' {
		n++
	}
	spaces := c.take(n)
	if c.peek(0) == end {
		return refuse(start, Syntax, "the quote that starts here is not closed")
	}
	first := c.lineBreak()
	if first == "" {
		text.WriteString(spaces)
		return nil
	}
	rest, err := s.quotedBreaks(start)
	switch {
	case first != "\n":
		text.WriteString(first)
	case rest == "":
		text.WriteByte(' ')
	}
	text.WriteString(rest)
	return err
}

// quotedBreaks scans the empty lines and the indentation after a line break.
func (s *scanner) quotedBreaks(start mark) (string, error) {
	c := s.cur
	var breaks strings.Builder
	for {
		if c.documentMarker() {
			return "", refuse(start, Syntax, "the quote that starts here is not closed before a document marker")
		}
		for c.skip(' ') || c.skip('\t') {
		}
		b := c.lineBreak()
		if b == "" {
			return breaks.String(), nil
		}
		breaks.WriteString(b)
	}
}
