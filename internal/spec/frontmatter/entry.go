package frontmatter

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
)

// entry is a line that holds a value: key: value, or an item of a list.
type entry struct {
	indent, key, value string
	lead               string // all that precedes the value
	item               bool   // - value, without a key
}

// splitEntry reads a line of the shape key: value.
func splitEntry(line string) (entry, bool) {
	trimmed := strings.TrimLeft(line, " ")
	e := entry{indent: line[:len(line)-len(trimmed)]}
	key, rest, found := strings.Cut(trimmed, ":")
	if !found || key == "" || strings.ContainsAny(key, "#\"'{}[]") || strings.HasPrefix(key, "- ") {
		return e, false
	}
	e.key = key
	e.value = strings.TrimLeft(rest, " \t")
	gap := rest[:len(rest)-len(e.value)]
	e.lead = e.indent + key + ":" + gap
	e.value = strings.TrimRight(e.value, " \t")
	return e, gap != "" || e.value == ""
}

// splitValue also reads list items. A field that opens a mapping in a list
// (- key: value) is one whose indentation goes up to the key.
func splitValue(line string) (entry, bool) {
	rest := strings.TrimLeft(line, " ")
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[2:], " ")
	}
	lead := line[:len(line)-len(rest)]
	if strings.TrimLeft(lead, " ") == "" {
		return splitEntry(line)
	}
	if e, ok := splitEntry(rest); ok && isFieldName(e.key) {
		e.indent, e.lead = strings.ReplaceAll(lead, "-", " "), lead+e.lead
		return e, true
	}
	return entry{indent: line[:strings.IndexByte(line, '-')], lead: lead, value: strings.TrimRight(rest, " \t"), item: true}, rest != ""
}

// what names the value in messages.
func (e entry) what() string {
	if e.item {
		return "this list item"
	}
	return "the value of " + printable.Quote(e.key)
}

// written is the entry with another value, on one line, as help shows it.
func (e entry) written(value string) string {
	if e.item {
		return shorten("- " + value)
	}
	return shorten(e.key + ": " + value)
}

// valueLines is a value with all lines that it is on.
type valueLines struct {
	entry                // the value's lines as one, as YAML folds them
	first, last int      // the value's lines in the YAML text
	start       int      // byte offset of the value
	positions   []Pos    // of each code point of the folded value, in the YAML text
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
		case a.value != "" && a.value[0] != '#', a.value == "" && k == 0 && isTextField(a.key) && !isItem(string(x.Text(i+1))):
			owner, e, ok = i, a, true
		}
	}
	if !ok || isBlockHeader(e.value) {
		return valueLines{}, false
	}
	s = gatherValue(x, owner, e)
	return s, s.first <= n && n <= s.last && len(s.positions) > 0
}

// gatherValue gathers the lines that continue the value of a line.
func gatherValue(x Lines, n int, e entry) valueLines {
	s := valueLines{entry: e, first: n, last: n, start: x.Starts[n-1] + len(e.lead)}
	s.fold(x, n, len(e.lead))
	for i := n + 1; i <= min(len(x.Starts), n+maxValueLines); i++ {
		line := string(x.Text(i))
		if isBlankLine(line) {
			continue
		}
		text := strings.TrimSpace(line)
		closes := strings.IndexByte("]}", text[0]) >= 0 && s.value != "" && strings.IndexByte("[{", s.value[0]) >= 0 && missingBrackets(s.value) != ""
		if indentOf(line) <= len(e.indent) && line[0] != '\t' && !closes || text[0] == '#' || strayField(e, line) {
			break
		}
		if len(s.positions) == 0 { // the value starts below its key
			s.first, s.start = i, x.Starts[i-1]+indentOf(line)
		} else {
			s.more = append(s.more, text)
		}
		s.fold(x, i, len(leadOf(line)))
		s.last = i
	}
	return s
}

// fold adds what is on a line from a byte on to the folded value.
func (s *valueLines) fold(x Lines, n, from int) {
	line := string(x.Text(n))
	text := strings.TrimRight(line[min(from, len(line)):], " \t")
	if text == "" {
		return
	}
	if last := len(s.positions) - 1; last >= 0 {
		end := s.positions[last]
		s.positions = append(s.positions, Pos{end.Line, end.Column + 1})
		text = s.value + " " + text
	}
	column := utf8.RuneCountInString(line[:from]) + 1 - len(s.positions)
	s.value = text
	for i := len(s.positions); i < utf8.RuneCountInString(text); i++ {
		s.positions = append(s.positions, Pos{n, column + i})
	}
}

// locate turns a cause that was found in the folded value into one of the
// text, with the lines of the value repaired.
func (s valueLines) locate(x Lines, w wrongValue) cause {
	from := s.positions[min(w.from, len(s.positions)-1)]
	to := s.positions[min(max(w.to-1, 0), len(s.positions)-1)]
	c := cause{line: from.Line, from: from.Column, to: to.Column + 1, message: w.message, help: w.help, first: s.first, last: s.last}
	if to.Line != from.Line {
		c.to = 0
	}
	if w.strip == nil {
		return c
	}
	end := x.Starts[s.last-1] + len(bytes.TrimRight(x.Text(s.last), " \t"))
	text := Quote(w.strip(string(x.Source[s.start:end])))
	c.repair = slices.Concat(x.Source[x.Starts[s.first-1]:s.start], []byte(text), x.Source[end:x.Starts[s.last-1]+len(x.Text(s.last))])
	if !slices.ContainsFunc(s.more, startsOwnLine) {
		c.fix = w.fix
	}
	return c
}

// startsOwnLine reports a line that continues a value, but may have been meant
// for something else: a list item or a field.
func startsOwnLine(text string) bool {
	e, ok := splitEntry(text)
	return isItem(text) || ok && isFieldName(e.key) && (e.key == strings.ToLower(e.key) || usualField(e.key))
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

// isFieldName reports whether a word may be the key of a field, so that prose
// with a colon in it is not taken for one.
func isFieldName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// isTextField reports the fields of the specification that are text.
func isTextField(key string) bool {
	return slices.Contains([]string{"allowed-tools", "compatibility", "description", "license", "name"}, key)
}

// usualField reports the names that fields have: the specification's, those of
// known clients, and what else authors write at the top.
func usualField(key string) bool {
	return readField(key) || slices.Contains([]string{"author", "authors", "category", "created", "date", "homepage", "keywords", "language",
		"origin", "repository", "source", "status", "tags", "title", "tools", "triggers", "type", "updated", "version"}, key)
}

// readField reports the fields that the specification or a client gives a
// meaning.
func readField(key string) bool {
	return isTextField(key) || slices.Contains([]string{"metadata", "when_to_use", "argument-hint", "arguments", "disable-model-invocation",
		"user-invocable", "disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths", "shell"}, key)
}
