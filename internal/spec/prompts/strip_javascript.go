package prompts

import "strings"

// javascript strips JavaScript and TypeScript. The contents of ${} in a template
// are code.
func (s *stripper) javascript() {
	var depths []int // of braces in each open template
	depth := 0
	before := byte(0) // the last byte of code that is not white space
	for s.i < len(s.src) {
		c := s.src[s.i]
		switch {
		case s.starts("//"), s.i == 0 && s.starts("#!"):
			s.toLineEnd()
			continue
		case s.starts("/*"):
			s.until(2, "*/")
			continue
		case c == '"', c == '\'':
			s.quoted(string(c), '\\', false)
		case c == '`':
			s.i++
			if s.template() {
				depths = append(depths, depth)
			}
		case c == '}' && len(depths) > 0 && depth == depths[len(depths)-1]:
			s.i++
			if !s.template() {
				depths = depths[:len(depths)-1]
			}
		case c == '/' && regexpFollows(before):
			s.regexp()
		default:
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			}
			s.i++
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			before = c
		}
	}
}

// template blanks the text of a template up to its end or to a ${; code tells
// which.
func (s *stripper) template() (code bool) {
	from := s.i
	for s.i < len(s.src) {
		switch {
		case s.src[s.i] == '\\':
			s.i++
		case s.src[s.i] == '`':
			s.blank(from, s.i)
			s.i++
			return false
		case s.starts("${"):
			s.blank(from, s.i)
			s.i += 2
			return true
		}
		s.i++
	}
	s.i = len(s.src)
	s.blank(from, s.i)
	return false
}

// regexpFollows reports whether a slash after a byte of code starts a regular
// expression rather than divides.
func regexpFollows(before byte) bool {
	return before == 0 || strings.IndexByte("(,=:[!&|?{};+-*%<>~^", before) >= 0
}

// regexp blanks a regular expression. Without an end on its line, neither this
// slash nor the next ones on the line start one.
func (s *stripper) regexp() {
	class, i := false, s.i+1
	for ; i < len(s.src) && s.src[i] != '\n' && s.i >= s.divides; i++ {
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.blank(s.i+1, i)
			s.i = i + 1
			return
		}
	}
	s.divides = max(s.divides, i)
	s.i++
}
