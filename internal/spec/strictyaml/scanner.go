package strictyaml

// maxKey is how many characters may lie between the start of a key and its
// colon.
const maxKey = 1024

// candidate is a token that may turn out to be the key of a mapping: that is
// known only when a colon follows on its line.
type candidate struct {
	number   int // of the token
	required bool
	at       mark
}

// scanner turns characters into tokens. In block style, the only one allowed,
// there is at most one candidate at a time.
type scanner struct {
	cur       *cursor
	started   bool
	done      bool
	indent    int // of the open collection, -1 outside
	outer     []int
	keyAllows bool // a key, or a block collection, may start here
	candidate *candidate
	version   [2]int // of the last YAML directive, zero without one
}

func newScanner(cur *cursor) *scanner {
	return &scanner{cur: cur, indent: -1, keyAllows: true}
}

// next puts the next token into q, or several where indentation or a key adds
// some.
func (s *scanner) next(q *queue) error {
	if !s.started {
		s.started = true
		q.push(&token{kind: streamStart, start: s.cur.at, end: s.cur.at})
		return nil
	}
	if note := s.toNextToken(); note != nil {
		q.push(note)
		return nil
	}
	if err := s.dropStaleKey(); err != nil {
		return err
	}
	s.closeIndents(q, s.cur.at.indent)
	r := s.cur.peek(0)
	if s.cur.at.indent == 0 {
		switch {
		case r == '%':
			return s.directive(q)
		case s.cur.documentMarker() && r == '-':
			return s.documentMarker(q, documentStart)
		case s.cur.documentMarker():
			return s.documentMarker(q, documentEnd)
		}
	}
	return s.content(q, r)
}

// content scans a token that belongs to a node.
func (s *scanner) content(q *queue, r rune) error {
	spaced := isBlankOrEnd(s.cur.peek(1))
	switch {
	case r == end:
		return s.finish(q)
	case r == '[', r == ']', r == '{', r == '}', r == ',':
		return refuse(s.cur.at, FlowStyle, flowMessage)
	case r == '*':
		return refuse(s.cur.at, Anchor, aliasMessage)
	case r == '&':
		return refuse(s.cur.at, Anchor, anchorMessage)
	case r == '!':
		return refuse(s.cur.at, Tag, tagMessage)
	case r == '-' && spaced:
		return s.indicator(q, entry, sequenceStart, "a list item may not start here")
	case r == '?' && spaced:
		return s.indicator(q, key, mappingStart, "a ? key may not start here")
	case r == ':' && spaced:
		return s.value(q)
	case r == '|', r == '>':
		return s.block(q, r == '>')
	case r == '\'', r == '"':
		return s.quoted(q, r)
	case r == '\t':
		return refuse(s.cur.at, Syntax, "a tab may not separate or indent here; use spaces")
	case r == '#', r == '%', r == '@', r == '`':
		return refuse(s.cur.at, Syntax, "a plain value may not start with "+string(r)+"; quote the text")
	}
	return s.plain(q)
}

// toNextToken moves over spaces, comments and line breaks. A comment, or empty
// lines at a stretch, is returned as a token of its own. After an empty line
// the original skips tabs as well, up to the next character.
func (s *scanner) toNextToken() *token {
	c := s.cur
	if c.at.index == 0 && c.peek(0) == bom {
		c.advance(1)
	}
	for {
		c.spaces()
		start := c.at
		if c.peek(0) == '#' {
			c.restOfLine()
			c.advance(1) // the break; of \r\n the rest is taken as an empty line
			for c.lineBreak() != "" {
			}
			s.keyAllows = true
			return &token{kind: comment, start: start, end: c.at}
		}
		if c.lineBreak() == "" {
			return nil
		}
		s.keyAllows = true
		if c.peek(0) == '\n' {
			start = c.at
			for c.lineBreak() != "" || c.skip(' ') || c.skip('\t') {
			}
			return &token{kind: comment, start: start, end: c.at}
		}
	}
}

// skip moves over r if it stands here.
func (c *cursor) skip(r rune) bool {
	if c.peek(0) != r {
		return false
	}
	c.advance(1)
	return true
}

// newRules says whether YAML 1.2 is read, which it is unless a directive asks
// for an older version.
func (s *scanner) newRules() bool { return s.version == [2]int{} || s.version[1] > 1 }
