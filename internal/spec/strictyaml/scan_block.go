package strictyaml

import "strings"

// block scans a literal (|) or folded (>) scalar.
func (s *scanner) block(q *queue, folded bool) error {
	s.keyAllows = true
	if err := s.forgetKey(); err != nil {
		return err
	}
	c := s.cur
	t := &token{kind: scalar, start: c.at}
	c.advance(1)
	chomp, increment, err := s.blockHeader()
	if err != nil {
		return err
	}
	if err := s.blockHeaderEnd(t); err != nil {
		return err
	}
	b := blockText{scan: s, folded: folded, atMargin: s.indent < 0 && increment == 0}
	if increment == 0 {
		b.findIndent(s.indent + 1)
	} else {
		b.indent = max(s.indent+1, 1) + increment - 1
		b.emptyLines()
	}
	b.lines()
	if chomp != '-' {
		b.text.WriteString(b.lastBreak)
	}
	if chomp == '+' {
		b.text.WriteString(b.breaks)
	}
	t.text, t.end = b.text.String(), b.end
	if chomp != '+' && b.breaks != "" {
		// Empty lines that are not part of the value, and the comments
		// behind them, hang on the scalar.
		for s.toNextToken() != nil {
		}
		t.addAfter()
	}
	q.push(t)
	return nil
}

// blockHeader scans the indicators behind | or >: chomping (+ or -, 0 without)
// and indentation (1 to 9, 0 without), in either order.
func (s *scanner) blockHeader() (chomp rune, increment int, err error) {
	c := s.cur
	for range 2 {
		r := c.peek(0)
		switch {
		case (r == '+' || r == '-') && chomp == 0:
			chomp = r
		case r >= '1' && r <= '9' && increment == 0:
			increment = int(r - '0')
		case r == '0' && increment == 0:
			return 0, 0, refuse(c.at, Syntax, "a block's indentation is 1 to 9")
		default:
			return chomp, increment, nil
		}
		c.advance(1)
	}
	return chomp, increment, nil
}

// blockHeaderEnd scans the rest of the header's line: spaces and a comment.
func (s *scanner) blockHeaderEnd(t *token) error {
	c := s.cur
	if r := c.peek(0); r != ' ' && !isLineEnd(r) {
		return refuse(c.at, Syntax, "expected the end of the line after a block's | or >")
	}
	c.spaces()
	if c.peek(0) == '#' {
		c.restOfLine()
		t.notes.present, t.notes.before = true, true
	}
	if !isLineEnd(c.peek(0)) {
		return refuse(c.at, Syntax, "expected a comment or the end of the line after a block's | or >")
	}
	c.lineBreak()
	return nil
}

// blockText collects the lines of a block scalar.
type blockText struct {
	scan     *scanner
	folded   bool
	atMargin bool // the block may stand at column 0, where document markers end it
	indent   int

	text      strings.Builder
	breaks    string // the empty lines behind the last line
	lastBreak string // the break that ends the last line
	end       mark
}

// findIndent takes the indentation from the empty lines and the first text,
// least as a minimum.
func (b *blockText) findIndent(least int) {
	c := b.scan.cur
	var breaks strings.Builder
	most := 0
	b.end = c.at
	for {
		if c.skip(' ') {
			most = max(most, c.at.indent)
			continue
		}
		s := c.lineBreak()
		if s == "" {
			break
		}
		breaks.WriteString(s)
		b.end = c.at
	}
	b.breaks = breaks.String()
	b.indent = max(least, most)
}

// emptyLines moves to the next text, over lines that have none.
func (b *blockText) emptyLines() {
	c := b.scan.cur
	var breaks strings.Builder
	b.end = c.at
	for {
		for c.at.indent < b.indent && c.skip(' ') {
		}
		s := c.lineBreak()
		if s == "" {
			break
		}
		breaks.WriteString(s)
		b.end = c.at
	}
	b.breaks = breaks.String()
}

// lines collects the text. Folding joins two lines with a space unless one of
// them starts with white space or an empty line lies between.
func (b *blockText) lines() {
	c := b.scan.cur
	for c.at.indent == b.indent && c.peek(0) != end {
		b.text.WriteString(b.breaks)
		flush := !isSpaceOrTab(c.peek(0))
		n := 0
		for !isLineEnd(c.peek(n)) {
			n++
		}
		b.text.WriteString(c.take(n))
		b.lastBreak = c.lineBreak()
		b.emptyLines()
		if b.atMargin && c.at.indent == 0 && c.documentMarker() {
			return
		}
		if c.at.indent != b.indent || c.peek(0) == end {
			return
		}
		if b.folded && b.lastBreak == "\n" && flush && !isSpaceOrTab(c.peek(0)) {
			if b.breaks == "" {
				b.text.WriteByte(' ')
			}
			continue
		}
		b.text.WriteString(b.lastBreak)
	}
}

func isSpaceOrTab(r rune) bool { return r == ' ' || r == '\t' }
