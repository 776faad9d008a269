package markdown

// marker is the number of bytes from the mark of a list's item at a place to
// its text, 0 where there is none.
func (s *skimmer) marker(at int) int {
	i, n := at, len(s.src)
	switch c := s.src[at]; {
	case c == '-' || c == '*' || c == '+':
		i++
	case isDigit(c):
		for i < n && isDigit(s.src[i]) {
			i++
		}
		if i == n || i-at > 9 || s.src[i] != '.' && s.src[i] != ')' {
			return 0
		}
		i++
	default:
		return 0
	}
	width := i - at
	for i < n && s.src[i] == ' ' {
		i++
	}
	if spaces := i - at - width; spaces >= 1 && spaces <= 4 && i < n && s.src[i] != '\n' {
		return i - at
	}
	if at+width == n || s.src[at+width] == ' ' || s.src[at+width] == '\t' || s.src[at+width] == '\n' {
		return width + 1
	}
	return 0
}

// interrupts reports whether an item that can end a paragraph starts at a
// place: one that is not empty, and has no number but 1.
func (s *skimmer) interrupts(at int) bool {
	n := s.marker(at)
	if n == 0 || isDigit(s.src[at]) && (s.src[at] != '1' || isDigit(s.src[at+1])) {
		return false
	}
	return at+n < len(s.src) && s.src[at+n-1] == ' ' && s.src[at+n] > ' '
}

// list takes the item at a place, whose text starts inner bytes behind it, with
// the items in it. Those that hold other blocks than paragraphs are left.
func (s *skimmer) list(at, inner int) int {
	open := append(s.open[:0], inner) // the columns of the texts of the items around a line
	end := s.lineEnd(at)
	if at+inner >= end || s.src[at+inner] <= ' ' || !s.textLine(at+inner, end) {
		return -1
	}
	for paragraph := true; end < len(s.src); {
		at = end
		if end = s.lineEnd(at); blank(s.src[at:end]) {
			next := s.pastBlanks(end)
			if next == len(s.src) || s.src[next] != ' ' && s.src[next] != '\t' {
				return at
			}
			paragraph = false
			end = next
			continue
		}
		indent := indentOf(s.src[at:end])
		if indent == 0 {
			if s.marker(at) > 0 || headingLevel(s.src[at:end]) > 0 || s.fenceAt(at) > 0 {
				return at
			}
			if !paragraph || !s.textLine(at, end) {
				return -1
			}
			continue
		}
		depth := len(open)
		for depth > 0 && indent < open[depth-1] {
			depth--
		}
		column := 0
		if depth > 0 {
			column = open[depth-1]
		}
		text := at + indent
		if n := s.marker(text); n > 0 && indent-column < 4 {
			if paragraph && depth == len(open) && !s.interrupts(text) || text+n >= end || s.src[text+n] <= ' ' || !s.textLine(text+n, end) {
				return -1
			}
			open = append(open[:depth], indent+n)
			s.open, paragraph = open, true
			continue
		}
		if !paragraph && (depth == 0 || indent-column > 3) || !s.textLine(text, end) {
			return -1
		}
		if !paragraph {
			open = open[:depth]
		}
		paragraph = true
	}
	return end
}

// holds reports whether the item at a place has text of its own on its line, so
// that what is indented below it is part of it.
func (s *skimmer) holds(at, inner int) bool {
	text, end := at+inner, s.lineEnd(at)
	return text < end && s.src[text-1] == ' ' && s.src[text] > ' ' && (s.src[text] == '[' || s.startsText(text, end))
}
