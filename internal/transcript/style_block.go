package transcript

import "strings"

// maxQuotes is how many marks of quotations are looked for in a line.
const maxQuotes = 16

// quoted reports whether a line goes on with the mark of a quotation. In code
// that a quotation holds only the marks around that are any.
func (s *styler) quoted(rest string, indent int) bool {
	return strings.HasPrefix(rest, ">") && indent < 4 && s.depth < maxQuotes && (s.fence == "" || s.depth < s.within)
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

// code shows a line inside fenced code, or the fence that ends it.
func (s *styler) code(rest string, indent int, end bool) string {
	run := rest[:runLength(rest)]
	closing := indent <= s.indent+3 && len(rest) <= maxSpan && rest != "" && rest[0] == s.fence[0] && strings.TrimRight(rest[len(run):], " \t") == ""
	if closing && !end {
		return "" // more may follow
	}
	s.kind, s.base = verbatim, codeText
	if closing && len(run) >= len(s.fence) {
		s.base, s.fence = faint, ""
	}
	return ""
}

// opening recognises the beginning of fenced code.
func (s *styler) opening(rest string, indent int, end bool) (string, bool) {
	if rest[0] != '`' && rest[0] != '~' {
		return "", false
	}
	n := runLength(rest)
	if n < 3 && (n < len(rest) || end) || len(rest) > maxSpan {
		return "", false
	}
	if !end {
		return "", true // what is behind it decides
	}
	if rest[0] == '`' && strings.Contains(rest[n:], "`") {
		return "", false
	}
	s.fence, s.indent, s.within = rest[:n], indent, s.depth
	s.kind, s.base = verbatim, faint
	return "", true
}

// item recognises the mark of a list's item; what is behind it is looked at as
// a line of its own.
func (s *styler) item(rest string, end bool) (string, bool) {
	n := 1
	if strings.IndexByte("-*+", rest[0]) < 0 {
		for n = 0; n < len(rest) && n < 9 && rest[n] >= '0' && rest[n] <= '9'; {
			n++
		}
		if n == 0 || n < len(rest) && rest[n] != '.' && rest[n] != ')' {
			return "", false
		}
		n++
	}
	switch {
	case n >= len(rest) && !end:
		return "", true
	case n >= len(rest) || rest[n] != ' ' && rest[n] != '\t':
		return "", false
	}
	s.list = true
	text := strings.TrimLeft(rest[n:], " \t")
	if text == "" && !end && len(rest) <= maxSpan {
		return "", true
	}
	before := s.raw[:len(s.raw)-len(rest)]
	gap := rest[n : len(rest)-len(text)]
	out := s.put(plainText, before) + s.put(mark, rest[:n]) + s.put(plainText, gap)
	s.raw = text
	switch more, opens := "", false; {
	case width(gap) > 4: // code
		s.kind = verbatim
	case text == "":
	default:
		// A fence has to be decided upon before anything of the line is shown.
		if more, opens = s.opening(text, width(before)+n+1, end); opens && s.kind == unknown {
			s.raw, s.shown = before+rest, false
			return "", true
		}
		if !opens {
			s.kind = prose
		}
		out += more
	}
	return out, true
}

// heading recognises one, and takes its mark off.
func (s *styler) heading(rest string, end bool) (string, bool) {
	n := 0
	for n < len(rest) && rest[n] == '#' {
		n++
	}
	text := strings.TrimLeft(rest[n:], " \t")
	switch {
	case n == 0 || n > 6 || len(rest)-len(text) > maxSpan:
		return "", false
	case text == "":
		return "", !end
	case text == rest[n:]:
		return "", false
	}
	out := s.put(plainText, s.raw[:len(s.raw)-len(rest)])
	s.kind, s.raw, s.list = prose, text, false
	s.base = strong
	if n == 1 {
		s.base += underline
	}
	return out, true
}
