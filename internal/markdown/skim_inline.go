package markdown

import "bytes"

// specials are the bytes that are looked for: starters, at which something other
// than text may start, then the one that closes what [ opened, and that of a
// mailbox.
const (
	starters = "`[<\\"
	specials = starters + "]@"
)

// Where some stand in specials.
const (
	opening = 1
	closing = len(starters)
	mailbox = len(starters) + 1
)

// special is where the next byte stands at which something may start, end where
// none does before it.
func (s *skimmer) special(from, end int) int {
	at := end
	for k := range len(starters) {
		at = min(at, s.nextOf(k, from))
	}
	return at
}

// nextOf is where the k-th of the specials stands next, the text's end where it
// does not. It is remembered: the text is searched once for each.
func (s *skimmer) nextOf(k, from int) int {
	if f := &s.next[k]; from < f.Start || from > f.End {
		*f = Stretch{from, len(s.src)}
		if n := bytes.IndexByte(s.src[from:], specials[k]); n >= 0 {
			f.End = from + n
		}
	}
	return s.next[k].End
}

// inline takes the prose, code and links of a text on one line, and reports
// whether it could: whatever may go on on the next line, refer to a definition
// or be HTML is left.
func (s *skimmer) inline(from, end int) bool {
	start := from // of the prose
	for {
		at := s.special(from, end)
		if at == end {
			s.b.prose(start, end)
			return true
		}
		switch s.src[at] {
		case '\\':
			if from = at + 2; from > end {
				return false
			}
			continue
		case '<':
			if from = at + 1; from == end || s.src[from] != ' ' && (s.src[from] != '=' && !isDigit(s.src[from]) || s.nextOf(mailbox, from) < end) {
				return false // a tag, or the address of a mailbox
			}
			continue
		case '`':
			s.b.prose(start, at)
			if from = s.codeSpan(at, end); from < 0 {
				return false
			}
		default: // [
			kind, mark := Inline, at
			if at > from && s.src[at-1] == '!' {
				kind, mark = Image, at-1
			}
			stop := s.link(kind, start, mark, at, end)
			if stop < 0 {
				return false
			}
			if from = stop; stop == at+1 {
				continue // no link
			}
		}
		start = from
	}
}

// codeSpan takes the span of code at a place and returns where it ends, -1
// where it is not closed before end.
func (s *skimmer) codeSpan(at, end int) int {
	from := at
	for from < end && s.src[from] == '`' {
		from++
	}
	for i := from; i < end; {
		n := bytes.IndexByte(s.src[i:end], '`')
		if n < 0 {
			return -1
		}
		to := i + n
		for i = to; i < end && s.src[i] == '`'; i++ {
		}
		if i-to != from-at {
			continue
		}
		if len(bytes.TrimLeft(s.src[from:to], " \t")) > 0 && s.src[from] == ' ' && s.src[to-1] == ' ' {
			from, to = from+1, to-1
		}
		first := len(s.b.stretches)
		s.b.stretches = append(s.b.stretches, Stretch{from, to})
		s.b.code(Code{Start: from, End: to}, first)
		return i
	}
	return -1
}

// link takes the link or image whose bracket is at a place, its mark being
// there or before it, and the prose from start to it. It returns where to go
// on: right behind the bracket where it is text, -1 where that cannot be told.
func (s *skimmer) link(kind LinkKind, start, mark, at, end int) int {
	last := s.nextOf(closing, at+1)
	if last >= end || s.nextOf(opening, at+1) < last {
		return -1
	}
	if last+1 == end || s.src[last+1] != '(' {
		// That bracket may be none: part of code, of HTML, or escaped.
		if s.defs || s.special(at+1, last) < last {
			return -1
		}
		return at + 1
	}
	from := last + 2
	to := from
	for to < end && s.src[to] > ' ' && s.src[to] != 0x7F && bytes.IndexByte([]byte(`()<>\`), s.src[to]) < 0 {
		to++
	}
	if to == from || to == end || s.src[to] != ')' {
		return -1
	}
	s.b.prose(start, mark)
	if !s.inline(at+1, last) {
		return -1
	}
	s.b.link(kind, plain(s.src[from:to]), from, to)
	return to + 1
}
