package frontmatter

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// valueLines is a value with all lines that it stands on.
type valueLines struct {
	entry                // the value's lines as one, as YAML folds them
	first, last int      // lines of the YAML text on which the value stands
	start       int      // byte offset of the value
	places      []Pos    // of each code point of the folded value, in the YAML text
	more        []string // the lines that continue it, trimmed
}

// maxValueLines bounds the lines on which one value is looked for.
const maxValueLines = 400

// valueAt finds the value that line n is a part of: its own, or the one that
// it continues from a line above. ok is false where it holds none, or where it
// is part of a block of text (| or >).
func valueAt(x Lines, n int) (s valueLines, ok bool) {
	line := string(x.Text(n))
	owner, indent := n, indentOf(line)
	e, ok := splitValue(line)
	ok = ok && e.value != ""
	for i := n - 1; i >= max(n-maxValueLines, 1) && indent > 0; i-- {
		above := string(x.Text(i))
		if isBlankLine(above) {
			continue
		}
		a, isValue := splitValue(above)
		k := indentOf(above)
		if isValue {
			k = len(a.indent)
		}
		if k >= indent {
			continue
		}
		indent = k
		switch {
		case !isValue:
		case isBlockHeader(a.value):
			return valueLines{}, false
		case a.value != "" && a.value[0] != '#', a.value == "" && k == 0 && isTextField(a.key) && !isItem(lineBelow(x, i)):
			owner, e, ok = i, a, true
		}
	}
	if !ok || isBlockHeader(e.value) {
		return valueLines{}, false
	}
	s = gatherValue(x, owner, e)
	return s, s.first <= n && n <= s.last && len(s.places) > 0
}

// gatherValue gathers the lines that continue the value of a line.
func gatherValue(x Lines, n int, e entry) valueLines {
	s := valueLines{entry: e, first: n, last: n, start: x.Starts[n-1] + len(e.lead)}
	s.fold(x, n, len(e.lead))
	last := n
	for i := n + 1; i <= min(len(x.Starts), n+maxValueLines); i++ {
		line := string(x.Text(i))
		if isBlankLine(line) {
			continue
		}
		text := strings.TrimSpace(line)
		closes := strings.IndexByte("]}", text[0]) >= 0 && s.value != "" && strings.IndexByte("[{", s.value[0]) >= 0 && !bracketsClose(s.value)
		if indentOf(line) <= len(e.indent) && line[0] != '\t' && !closes || text[0] == '#' || strayField(e, line) {
			break
		}
		if s.value == "" && len(s.places) == 0 { // the value starts below its key
			s.first, s.start = i, x.Starts[i-1]+indentOf(line)
		} else {
			s.more = append(s.more, text)
		}
		s.fold(x, i, len(line)-len(strings.TrimLeft(line, " \t")))
		last = i
	}
	s.last = last
	return s
}

// fold adds what stands on a line from a byte on to the folded value.
func (s *valueLines) fold(x Lines, n, from int) {
	line := string(x.Text(n))
	text := strings.TrimRight(line[min(from, len(line)):], " \t")
	if text == "" {
		return
	}
	column := utf8.RuneCountInString(line[:from]) + 1
	if len(s.places) > 0 {
		s.value += " "
		end := s.places[len(s.places)-1]
		s.places = append(s.places, Pos{end.Line, end.Column + 1})
		s.value += text
	} else {
		s.value = text
	}
	for i := range []rune(text) {
		s.places = append(s.places, Pos{n, column + i})
	}
}

// locate turns a cause that was found in the folded value into one of the
// text, with the lines of the value repaired.
func (s valueLines) locate(x Lines, c cause) cause {
	from := s.places[min(c.from, len(s.places)-1)]
	to := s.places[min(max(c.to-1, 0), len(s.places)-1)]
	c.line, c.from, c.to = from.Line, from.Column, to.Column+1
	if to.Line != from.Line {
		c.to = 0
	}
	c.first, c.last = s.first, s.last
	end := x.Starts[s.last-1] + len(bytes.TrimRight(x.Text(s.last), " \t"))
	text := ""
	switch {
	case c.quotes:
		text = Quote(c.peel.of(string(x.Source[s.start:end])))
	case c.value != "": // on one line; the others stay as blank ones
		text = c.value + strings.Repeat("\n", s.last-s.first)
	default:
		return c
	}
	c.mended = slices.Concat(x.Source[x.Starts[s.first-1]:s.start], []byte(text), x.Source[end:x.Starts[s.last-1]+len(x.Text(s.last))])
	if slices.ContainsFunc(s.more, startsOwnLine) || c.value != "" && s.last > s.first {
		c.fix = ""
	}
	return c
}

// startsOwnLine reports a line that continues a value, but may have been meant
// for something else: a list item or a field.
func startsOwnLine(text string) bool {
	e, ok := splitEntry(text)
	small := strings.ToLower(e.key)
	return isItem(text) || ok && isFieldName(e.key) && (e.key == small || usualField(small))
}

// isItem reports a line that starts a list item.
func isItem(line string) bool {
	text := strings.TrimSpace(line)
	return text == "-" || strings.HasPrefix(text, "- ")
}

func isBlankLine(line string) bool { return strings.TrimSpace(line) == "" }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// isBlockHeader reports what announces a block of text: |, >-, |2+ and the
// like, perhaps with a comment.
func isBlockHeader(value string) bool {
	if value == "" || value[0] != '|' && value[0] != '>' {
		return false
	}
	header, _, _ := strings.Cut(value, " #")
	return strings.Trim(strings.TrimSpace(header[1:]), "+-123456789") == ""
}

// isTextField reports the fields of the specification that are text.
func isTextField(key string) bool {
	switch key {
	case "allowed-tools", "compatibility", "description", "license", "name":
		return true
	}
	return false
}
