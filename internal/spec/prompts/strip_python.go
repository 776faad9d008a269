package prompts

import "bytes"

func (s *stripper) python() {
	for s.i < len(s.src) {
		c := s.src[s.i]
		switch {
		case c == '#':
			s.toLineEnd()
			continue
		case c != '"' && c != '\'':
			s.i++
			continue
		}
		quote := string(c)
		if s.starts(`"""`) || s.starts("'''") {
			quote = string(s.src[s.i : s.i+3])
		}
		formatted := s.formats()
		from := s.i + len(quote)
		s.quoted(quote, '\\', len(quote) == 3)
		if formatted {
			s.expressions(from, s.i)
		}
	}
}

// formats reports whether the letters before a quote make it an f-string.
func (s *stripper) formats() bool {
	at := s.i
	for at > 0 && s.i-at < 3 && isWordByte(s.src[at-1]) {
		at--
	}
	return s.i-at < 3 && bytes.ContainsAny(s.src[at:s.i], "fF")
}

// expressions restores the code in the braces of an f-string. Two braces in a row
// are a literal brace.
func (s *stripper) expressions(from, to int) {
	depth, open := 0, 0
	for i := from; i < to; i++ {
		switch c := s.src[i]; {
		case c == '{' && depth == 0 && i+1 < to && s.src[i+1] == '{':
			i++
		case c == '{':
			if depth++; depth == 1 {
				open = i + 1
			}
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				copy(s.out[open:i], stripped("python", s.src[open:i]))
			}
		}
	}
}
