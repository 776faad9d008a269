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

// items are the items of a list around a line.
type items struct {
	columns   []int // of their texts, the outermost first
	paragraph bool  // whether the line before is one of a paragraph
}

// list takes the item at a place, whose text starts inner bytes behind it, with
// the items in it. Those that hold other blocks than paragraphs are left.
func (s *skimmer) list(at, inner int) int {
	end := s.lineEnd(at)
	if !s.itemText(at+inner, end) {
		return -1
	}
	around := items{append(s.columns[:0], inner), true}
	defer func() { s.columns = around.columns }()
	for end < len(s.src) {
		at, end = end, s.lineEnd(end)
		if blank(s.src[at:end]) {
			next := s.pastBlanks(end)
			if next == len(s.src) || s.src[next] != ' ' && s.src[next] != '\t' {
				return at
			}
			end, around.paragraph = next, false
			continue
		}
		if indent := indentOf(s.src[at:end]); indent > 0 {
			if !s.indented(at+indent, end, indent, &around) {
				return -1
			}
			continue
		}
		if s.marker(at) > 0 || headingLevel(s.src[at:end]) > 0 || s.fenceAt(at) > 0 {
			return at
		}
		if !around.paragraph || !s.textLine(at, end) {
			return -1
		}
	}
	return end
}

// itemText takes the first line of an item's text. A tab before it moves the
// text by more than a byte.
func (s *skimmer) itemText(from, end int) bool {
	return from < end && s.src[from] > ' ' && s.src[from-1] == ' ' && s.textLine(from, end)
}

// indented takes a line of an item, from behind its indentation: the start of an
// item in it or beside it, or of a paragraph, or more of one.
func (s *skimmer) indented(from, end, indent int, around *items) bool {
	depth := len(around.columns)
	for depth > 0 && indent < around.columns[depth-1] {
		depth--
	}
	inside := indent // of the item it is in
	if depth > 0 {
		inside -= around.columns[depth-1]
	}
	if n := s.marker(from); n > 0 && inside < 4 {
		if around.paragraph && depth == len(around.columns) && !s.interrupts(from) || !s.itemText(from+n, end) {
			return false
		}
		around.columns, around.paragraph = append(around.columns[:depth], indent+n), true
		return true
	}
	if !around.paragraph {
		if depth == 0 || inside > 3 {
			return false // a block behind the list, or code
		}
		around.columns, around.paragraph = around.columns[:depth], true
	}
	return s.textLine(from, end)
}

// holds reports whether the item at a place has text of its own on its line, so
// that what is indented below it is part of it.
func (s *skimmer) holds(at, inner int) bool {
	text, end := at+inner, s.lineEnd(at)
	return text < end && s.src[text-1] == ' ' && s.src[text] > ' ' && (s.src[text] == '[' || s.startsText(text, end))
}
