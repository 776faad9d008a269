package loader

import "bytes"

// compileClass compiles the bracket expression that pattern starts with and
// returns its length; 0 means that it is not one.
func compileClass(pattern []byte) (set *byteSet, length int) {
	set = new(byteSet)
	i, negate := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		negate = true
		i++
	}
	last := -1 // the byte that a following "-" starts a range from
	for first := true; ; first = false {
		if i >= len(pattern) {
			return nil, 0
		}
		c := pattern[i]
		switch {
		case c == ']' && !first:
			if negate {
				for b := range set {
					set[b] = !set[b]
				}
			}
			return set, i + 1
		case c == '[' && bytes.HasPrefix(pattern[i+1:], []byte(":")):
			n, known := set.addNamed(pattern[i:])
			if !known {
				return nil, 0
			}
			if n > 0 {
				i, last = i+n, -1
				continue
			}
		case c == '-' && last >= 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			i++
			if pattern[i] == '\\' {
				i++
			}
			if i >= len(pattern) {
				return nil, 0
			}
			for b := last; b <= int(pattern[i]); b++ {
				set[b] = true
			}
			i, last = i+1, -1
			continue
		case c == '\\':
			if i++; i >= len(pattern) {
				return nil, 0
			}
			c = pattern[i]
		}
		set[c] = true
		i, last = i+1, int(c)
	}
}

// addNamed adds a class such as [:alpha:] at the start of text and returns its
// length, 0 where it is no such class but a plain bracket.
func (s *byteSet) addNamed(text []byte) (length int, known bool) {
	end := bytes.IndexByte(text, ']')
	if end < 3 || text[end-1] != ':' {
		return 0, true
	}
	is, known := namedClass(string(text[2 : end-1]))
	if !known {
		return 0, false
	}
	for b := range 128 {
		s[b] = s[b] || is(byte(b))
	}
	return end + 1, true
}

// namedClass returns the members of a class, as git has them.
func namedClass(name string) (is func(byte) bool, known bool) {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	alpha := func(c byte) bool { return lower(c) || upper(c) }
	graph := func(c byte) bool { return ' ' < c && c < 0x7f }
	switch name {
	case "alnum":
		return func(c byte) bool { return alpha(c) || digit(c) }, true
	case "alpha":
		return alpha, true
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }, true
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return func(c byte) bool { return c == ' ' || graph(c) }, true
	case "punct":
		return func(c byte) bool { return graph(c) && !alpha(c) && !digit(c) }, true
	case "space":
		return func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }, true // git's own idea of it
	case "upper":
		return upper, true
	case "xdigit":
		return func(c byte) bool { return digit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }, true
	}
	return nil, false
}
