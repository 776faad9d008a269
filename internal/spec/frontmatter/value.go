package frontmatter

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"skills/internal/printable"
)

// entry is a line that holds a value: key: value, or an item of a list.
type entry struct {
	indent     int    // of the key, also behind the dash of an item; of the dash in an item without key
	lead       int    // bytes before the value
	key, value string // the value without surrounding white space, key "" for an item
}

var entryStart = regexp.MustCompile(`^( *(?:- +)*)(?:([^\s#"'(){}\[\]:]+):(?:[ \t]+|$))?`)

// readEntry reads a line as an entry; ok is false if it is none.
func readEntry(line string) (e entry, ok bool) {
	m := entryStart.FindStringSubmatch(line)
	e = entry{indent: len(m[1]), lead: len(m[0]), key: m[2], value: strings.TrimRight(line[len(m[0]):], " \t")}
	if dash := strings.IndexByte(m[1], '-'); e.key == "" && dash >= 0 {
		e.indent = dash
		return e, e.value != ""
	}
	return e, e.key != ""
}

// what names the value in messages.
func (e entry) what() string {
	if e.key == "" {
		return "this list item"
	}
	return "the value of " + printable.Quote(e.key)
}

// written is the entry with another value, on one line, as help shows it.
func (e entry) written(value string) string {
	if value = strings.Join(strings.Fields(value), " "); e.key == "" {
		return printable.TruncateMiddle("- "+value, 160)
	}
	return printable.TruncateMiddle(e.key+": "+value, 160)
}

// value is the value of an entry on all lines that it takes.
type value struct {
	entry
	start int    // byte offset in the YAML text
	text  string // as it is there, line breaks included
}

// maxValueLines bounds the lines on which one value is looked for.
const maxValueLines = 400

// valueAt finds the value that line n is a part of: its own, or the one that
// it continues from a line above. ok is false if it holds none, or is part of a
// block of text (| or >).
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
	v.text = strings.TrimLeft(raw, " \t\r\n") // it may start below its key
	v.start = start + len(raw) - len(v.text)
	return v, n <= last && v.text != ""
}

// endsBefore reports a line below a field that is a field itself, rather than
// prose that continues the value: at the top one that is usual, in a mapping
// any that looks like one.
func (e entry) endsBefore(line string) bool {
	below, ok := readEntry(line)
	if !ok || below.key == "" || e.key == "" {
		return false
	}
	return usualField(below.key) || e.indent > 0 && below.key == strings.ToLower(below.key)
}

// textFields are the fields of the specification that are text.
var textFields = []string{"allowed-tools", "compatibility", "description", "license", "name"}

func isBlankLine(line string) bool { return strings.TrimSpace(line) == "" }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

var blockHeader = regexp.MustCompile(`^[|>][-+1-9]*(?:\s*$|\s+#)`)

// isBlockHeader reports what announces a block of text: |, >-, |2+ and the
// like, perhaps with a comment.
func isBlockHeader(value string) bool { return blockHeader.MatchString(value) }
