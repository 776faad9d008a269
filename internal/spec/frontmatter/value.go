package frontmatter

import (
	"bytes"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// entry is a line with a value: key: value, or a list item.
type entry struct {
	indent     int    // column of the key, also after the dash of an item; of the dash in an item without key
	lead       int    // bytes before the value
	key, value string // trimmed; key is "" for an item
}

var entryStart = lazyregexp.New(`^( *(?:- +)*)(?:([^\s#"'(){}\[\]:]+):(?:[ \t]+|$))?`)

// readEntry parses a line as an entry; ok is false if it is none.
func readEntry(line string) (e entry, ok bool) {
	m := entryStart().FindStringSubmatch(line)
	e = entry{indent: len(m[1]), lead: len(m[0]), key: m[2], value: strings.TrimRight(line[len(m[0]):], " \t")}
	if dash := strings.IndexByte(m[1], '-'); e.key == "" && dash >= 0 {
		e.indent = dash
		return e, e.value != ""
	}
	return e, e.key != ""
}

// describe returns how messages name the value.
func (e entry) describe() string {
	if e.key == "" {
		return "this list item"
	}
	return "the value of " + printable.Quote(e.key)
}

// written returns the entry with another value on one line, for help texts.
func (e entry) written(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if e.key == "" {
		return printable.TruncateMiddle("- "+value, 160)
	}
	return printable.TruncateMiddle(e.key+": "+value, 160)
}

// value is the value of an entry, which may span several lines.
type value struct {
	entry
	start int    // byte offset in the YAML text
	text  string // as in the source, including line breaks
}

// maxValueLines limits the lines searched for one value.
const maxValueLines = 400

// valueAt returns the value that line n belongs to: its own, or one that it
// continues from a line above. ok is false if there is none or the line is part
// of a block scalar.
func valueAt(x Lines, n int) (v value, ok bool) {
	owner, indent := 0, indentOf(string(x.Text(n)))+1
	for i := n; i >= max(n-maxValueLines, 1) && indent > 0; i-- {
		line := string(x.Text(i))
		e, isEntry := readEntry(line)
		if !isEntry {
			e.indent = indentOf(line)
		}
		if isBlankLine(line) || e.indent >= indent && i < n {
			continue
		}
		indent = indentOf(line)
		switch {
		case !isEntry:
		case isBlockHeader(e.value):
			return value{}, false
		case e.value != "" && e.value[0] != '#', e.value == "" && i < n && slices.Contains(textFields, e.key):
			v.entry, owner = e, i
		}
	}
	if owner == 0 {
		return value{}, false
	}
	start := x.Starts[owner-1] + v.lead
	end, last := x.Starts[owner-1]+len(bytes.TrimRight(x.Text(owner), " \t")), owner
	for i := owner + 1; i <= min(len(x.Starts), owner+maxValueLines); i++ {
		line := string(x.Text(i))
		if isBlankLine(line) {
			continue
		}
		outside := indentOf(line) <= v.indent && line[0] != '\t' && strings.Trim(line, "]} ") != ""
		if outside || strings.TrimSpace(line)[0] == '#' || v.endsBefore(line) {
			break
		}
		end, last = x.Starts[i-1]+len(strings.TrimRight(line, " \t")), i
	}
	raw := string(x.Source[start:max(start, end)])
	v.text = strings.TrimLeft(raw, " \t\r\n") // the value may start below its key
	v.start = start + len(raw) - len(v.text)
	return v, n <= last && v.text != ""
}

// endsBefore reports whether a line below a field is itself a field rather than
// prose that continues the value: at the top level a usual field, in a mapping
// anything that looks like one.
func (e entry) endsBefore(line string) bool {
	below, ok := readEntry(line)
	if !ok || below.key == "" || e.key == "" {
		return false
	}
	return usualField(below.key) || e.indent > 0 && below.key == strings.ToLower(below.key)
}

// textFields are the text fields of the specification.
var textFields = []string{"allowed-tools", "compatibility", "description", "license", "name"}

func isBlankLine(line string) bool { return strings.TrimSpace(line) == "" }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

var blockHeader = lazyregexp.New(`^[|>][-+1-9]*(?:\s*$|\s+#)`)

// isBlockHeader reports whether value is a block scalar header: |, >-, |2+ and
// so on, optionally with a comment.
func isBlockHeader(value string) bool { return blockHeader().MatchString(value) }
