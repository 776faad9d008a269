package spec

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Look reads the summary of a SKILL.md that is written plainly and breaks
// nothing, which nearly all are, in a small part of the time that YAML and the
// rules take. dir is the name of the skill's folder.
//
// ok is false wherever there is the least doubt, also of what is fine: the
// document has to be parsed then. Where it is true, parsing gives the same
// summary and no rule has an error to report.
func Look(dir string, src []byte) (s Summary, ok bool) {
	rest, ok := bytes.CutPrefix(src, []byte("---\n"))
	if !ok || !utf8.Valid(src) {
		return Summary{}, false
	}
	l := looker{rest: rest, seen: make([]string, 0, 8)}
	for l.next() {
		key, value, ok := l.field(0)
		if !ok || !l.take(&s, key, value) {
			return Summary{}, false
		}
	}
	fine := l.closed && s.Name == dir && isPlainName(s.Name) && s.Description != "" &&
		utf8.RuneCountInString(s.Description) < maxDescription && utf8.RuneCountInString(s.Compatibility) < maxCompatibility
	return s, fine
}

// looker goes through a frontmatter line by line.
type looker struct {
	rest   []byte
	line   string
	seen   []string // keys of the top level
	closed bool     // the line is the closing fence
}

// next goes to the next line; false at the fence, or where there is none.
func (l *looker) next() bool {
	if l.closed || len(l.rest) == 0 {
		return false
	}
	line, rest, _ := bytes.Cut(l.rest, []byte("\n"))
	l.line, l.rest = string(line), rest
	l.closed = l.line == "---"
	return !l.closed
}

// deeper goes to the next line if that is indented, and returns how far.
func (l *looker) deeper() (indent int, ok bool) {
	if len(l.rest) == 0 || l.rest[0] != ' ' {
		return 0, false
	}
	l.next()
	return len(l.line) - len(strings.TrimLeft(l.line, " ")), true
}

// field splits the line into a key and what is behind it, without the
// indentation.
func (l *looker) field(indent int) (key, value string, ok bool) {
	key, value, ok = strings.Cut(l.line[indent:], ":")
	if !ok || key == "" || len(key) > 100 || !isWordByte(key[0]) || strings.ContainsFunc(key, func(r rune) bool { return r > 0x7F || r != '-' && !isWordByte(byte(r)) }) {
		return "", "", false
	}
	if value == "" {
		return key, "", true
	}
	value, ok = strings.CutPrefix(value, " ")
	return key, value, ok && value != ""
}

// take puts one field of the top level into the summary.
func (l *looker) take(s *Summary, key, value string) bool {
	if slices.Contains(l.seen, key) {
		return false
	}
	l.seen = append(l.seen, key)
	var ok bool
	switch key {
	case "name":
		s.Name, ok = scalar(value)
	case "description":
		if s.Description, ok = scalar(value); !ok {
			s.Description, ok = l.block(value)
		}
	case "license":
		s.License, ok = scalar(value)
	case "compatibility":
		s.Compatibility, ok = scalar(value)
	case "allowed-tools":
		s.AllowedTools, ok = scalar(value)
	case "metadata":
		ok = value == "" && l.metadata()
	case fieldHidden:
		s.Hidden, ok = value == "true", value == "true" || value == "false"
	case fieldUser:
		s.NotUser, ok = value == "false", value == "true" || value == "false"
	}
	return ok
}

// maxLooked is how many keys of metadata are passed over.
const maxLooked = 50

// metadata passes over the values below it, one a line, all equally far in.
func (l *looker) metadata() bool {
	var keys []string
	depth := 0
	for {
		indent, more := l.deeper()
		if !more {
			return depth > 0
		}
		if depth == 0 {
			depth = indent
		}
		key, value, ok := l.field(indent)
		if !ok || indent != depth || len(keys) == maxLooked {
			return false
		}
		if _, ok := scalar(value); !ok && !isNumber(value) || slices.Contains(keys, key) {
			return false
		}
		keys = append(keys, key)
	}
}

// block reads a folded or literal text whose lines are all equally far in.
func (l *looker) block(header string) (text string, ok bool) {
	between := "\n"
	switch header {
	case ">", ">-":
		between = " "
	case "|", "|-":
	default:
		return "", false
	}
	var lines []string
	depth := 0
	for {
		indent, more := l.deeper()
		if !more {
			return strings.Join(lines, between), depth > 0
		}
		if depth == 0 {
			depth = indent
		}
		line := l.line[indent:]
		if indent != depth || line == "" || !printable(line) || strings.HasSuffix(line, " ") {
			return "", false
		}
		lines = append(lines, line)
	}
}
