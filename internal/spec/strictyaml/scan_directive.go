package strictyaml

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDigits is the longest number that Python turns into an integer.
const maxDigits = 4300

// directive scans a line that starts with %. Unknown ones are skipped.
func (s *scanner) directive(q *queue) error {
	s.closeIndents(q, -1)
	if err := s.forgetKey(); err != nil {
		return err
	}
	s.keyAllows = false
	c := s.cur
	t := &token{kind: directive, start: c.at, about: &directiveInfo{}}
	c.advance(1)
	n := 0
	for isWord(c.peek(n)) || c.peek(n) == ':' || c.peek(n) == '.' {
		n++
	}
	t.text = c.take(n)
	ok := n > 0 && isSpaceOrEnd(c.peek(0))
	if ok && t.text == "YAML" {
		ok = s.yamlDirective(t)
	} else if ok && t.text == "TAG" {
		ok = s.tagDirective(t)
	} else if ok {
		c.restOfLine()
	}
	if ok {
		c.spaces()
		if c.peek(0) == '#' {
			c.restOfLine()
		}
		ok = isLineEnd(c.peek(0))
	}
	if !ok {
		return refuse(t.start, Syntax, "malformed % directive; quote the text if it is none")
	}
	c.lineBreak()
	t.end = c.at
	q.push(t)
	return nil
}

// yamlDirective scans the version. It rules from here on, whatever document it
// stands in.
func (s *scanner) yamlDirective(t *token) bool {
	c := s.cur
	c.spaces()
	major, ok := versionNumber(c)
	if !ok || !c.skip('.') {
		return false
	}
	minor, ok := versionNumber(c)
	if !ok || !isSpaceOrEnd(c.peek(0)) {
		return false
	}
	t.about.version = [2]int{major, minor}
	s.version = t.about.version
	return true
}

func versionNumber(c *cursor) (int, bool) {
	n := 0
	for c.peek(n) >= '0' && c.peek(n) <= '9' {
		n++
	}
	if n == 0 || n > maxDigits {
		return 0, false
	}
	digits := strings.TrimLeft(c.take(n), "0")
	if len(digits) > 6 {
		return 1_000_000, true // no such version; which one does not matter
	}
	number, _ := strconv.Atoi("0" + digits)
	return number, true
}

// tagDirective scans a handle and a prefix. Tags are refused, but their
// directives are not.
func (s *scanner) tagDirective(t *token) bool {
	c := s.cur
	c.spaces()
	if c.peek(0) != '!' {
		return false
	}
	n := 1
	if c.peek(1) != ' ' {
		for isWord(c.peek(n)) {
			n++
		}
		if c.peek(n) != '!' {
			return false
		}
		n++
	}
	t.about.handle = c.take(n)
	if c.peek(0) != ' ' {
		return false
	}
	c.spaces()
	return s.tagPrefix() && isSpaceOrEnd(c.peek(0))
}

// tagPrefix scans a URI; what it escapes must be UTF-8.
func (s *scanner) tagPrefix() bool {
	c := s.cur
	found := false
	for {
		r := c.peek(0)
		switch {
		case r == '%':
			if !percentRun(c) {
				return false
			}
		case isWord(r) || strings.ContainsRune(";/?:@&=+$,.!~*'()[]", r):
			c.advance(1)
		case r == '#' && s.newRules():
			c.advance(1)
		default:
			return found
		}
		found = true
	}
}

// percentRun scans escapes such as %C3%A9 that stand in a row.
func percentRun(c *cursor) bool {
	var bytes []byte
	for c.skip('%') {
		b, err := strconv.ParseUint(string([]rune{c.peek(0), c.peek(1)}), 16, 8)
		if err != nil {
			return false
		}
		bytes = append(bytes, byte(b))
		c.advance(2)
	}
	return utf8.Valid(bytes)
}

func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_'
}

func isSpaceOrEnd(r rune) bool { return r == ' ' || isLineEnd(r) }
