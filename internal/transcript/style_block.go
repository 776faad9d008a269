package transcript

import "strings"

// quoted reports whether a line goes on with the mark of a quotation. In code
// that a quotation holds only the marks around that are any.
func (s *styler) quoted(rest string, indent int) bool {
	return strings.HasPrefix(rest, ">") && indent < 4 && (s.fence == "" || s.depth < s.within)
}

// quote shows the mark of a quotation, which stays; what is behind it is looked
// at as a line of its own.
func (s *styler) quote(rest string) string {
	out := s.put(plainText, s.raw[:len(s.raw)-len(rest)]) + s.put(mark, rest[:1])
	s.raw = rest[1:]
	s.depth++
	return out
}

// rule recognises a line that separates: one between paragraphs, below a
// heading, or below the head of a table. It stays as it is. The result is true
// also where more of the line has to come first.
func (s *styler) rule(rest string, end bool) bool {
	marks, least := rest[:1], 3
	switch rest[0] {
	case '|':
		marks, least = "|-:", 1
	case '-', '*', '_', '=':
	default:
		return false
	}
	if strings.Trim(rest, marks+" \t") != "" || len(rest) > maxSpan {
		return false
	}
	switch {
	case !end:
		return true
	case rest[0] == '|' && !strings.Contains(rest, "-"), strings.Count(rest, marks[:1]) < least:
		return false
	case rest[0] == '=' && strings.Trim(strings.TrimRight(rest, " \t"), "=") != "":
		return false
	}
	s.kind, s.base = verbatim, faint
	return true
}

// around puts the marks of a span back around what they stand for, where they
// stay.
func (s *styler) around(marks string, st style, show func() string) string {
	if !s.keep {
		return show()
	}
	return s.put(st+faint, marks) + show() + s.put(st+faint, marks)
}
