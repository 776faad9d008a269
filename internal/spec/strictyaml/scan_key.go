package strictyaml

// dropStaleKey forgets a candidate that has no colon on its line or within
// maxKey characters. Where the indentation says that it must be a key, that is
// an error.
func (s *scanner) dropStaleKey() error {
	k := s.candidate
	if k == nil || k.at.line == s.cur.at.line && s.cur.at.index-k.at.index <= maxKey {
		return nil
	}
	return s.forgetKey()
}

// forgetKey gives the candidate up.
func (s *scanner) forgetKey() error {
	k := s.candidate
	s.candidate = nil
	if k != nil && k.required {
		return refuse(k.at, Syntax, "expected a key and a colon on this line")
	}
	return nil
}

// offerKey notes that the token to come may be a key.
func (s *scanner) offerKey(q *queue) error {
	if !s.keyAllows {
		return nil
	}
	if err := s.forgetKey(); err != nil {
		return err
	}
	s.candidate = &candidate{
		number:   q.taken + len(q.tokens),
		required: s.indent == s.cur.at.indent,
		at:       s.cur.at,
	}
	return nil
}

// open starts a collection if column is further in than the current one.
func (s *scanner) open(column int) bool {
	if s.indent >= column {
		return false
	}
	s.outer = append(s.outer, s.indent)
	s.indent = column
	return true
}

// closeIndents ends the collections that are further in than column.
func (s *scanner) closeIndents(q *queue, column int) {
	for s.indent > column {
		last := len(s.outer) - 1
		s.indent, s.outer = s.outer[last], s.outer[:last]
		q.push(&token{kind: blockEnd, start: s.cur.at, end: s.cur.at})
	}
}

// indicator scans - or ?, which may open a collection at their own column.
func (s *scanner) indicator(q *queue, kind, opens tokenKind, message string) error {
	at := s.cur.at
	if !s.keyAllows {
		return refuse(at, Syntax, message)
	}
	if s.open(at.indent) {
		q.push(&token{kind: opens, start: at, end: at})
	}
	s.keyAllows = true
	return s.mark(q, kind)
}

// value scans a colon: the candidate before it is a key, and its column is
// where the mapping starts.
func (s *scanner) value(q *queue) error {
	k := s.candidate
	if k == nil {
		return s.bareValue(q)
	}
	s.candidate = nil
	q.insert(k.number, &token{kind: key, start: k.at, end: k.at})
	if s.open(k.at.indent) {
		q.insert(k.number, &token{kind: mappingStart, start: k.at, end: k.at})
	}
	s.keyAllows = false
	return s.mark(q, value)
}

// bareValue scans a colon without a key in front: after a ? key, or with an
// empty key.
func (s *scanner) bareValue(q *queue) error {
	at := s.cur.at
	if !s.keyAllows {
		return refuse(at, Syntax, "a colon followed by a space may not stand inside this value; quote the text")
	}
	if s.open(at.indent) {
		q.push(&token{kind: mappingStart, start: at, end: at})
	}
	s.keyAllows = true
	return s.mark(q, value)
}

// mark adds a token of one character.
func (s *scanner) mark(q *queue, kind tokenKind) error {
	if err := s.forgetKey(); err != nil {
		return err
	}
	start := s.cur.at
	s.cur.advance(1)
	q.push(&token{kind: kind, start: start, end: s.cur.at})
	return nil
}

// finish ends the stream. It may be called again and then adds another end.
func (s *scanner) finish(q *queue) error {
	s.closeIndents(q, -1)
	if err := s.forgetKey(); err != nil {
		return err
	}
	s.keyAllows = false
	q.push(&token{kind: streamEnd, start: s.cur.at, end: s.cur.at})
	s.done = true
	return nil
}

// documentMarker scans --- or ... at the start of a line.
func (s *scanner) documentMarker(q *queue, kind tokenKind) error {
	s.closeIndents(q, -1)
	if err := s.forgetKey(); err != nil {
		return err
	}
	s.keyAllows = false
	start := s.cur.at
	s.cur.advance(3)
	q.push(&token{kind: kind, start: start, end: s.cur.at})
	return nil
}
