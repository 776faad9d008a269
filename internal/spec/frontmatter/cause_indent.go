package frontmatter

import (
	"fmt"
	"strings"

	"skills/internal/printable"
)

// strayIndent finds a field that is indented below one that has its value
// already.
func strayIndent(x Lines, n int) (cause, bool) {
	line := string(x.Text(n))
	e, ok := splitEntry(line)
	a, found := parent(x, n)
	if !ok || !found || e.indent == "" || !isFieldName(e.key) || a.value == "" || isBlockHeader(a.value) {
		return cause{}, false
	}
	help := fmt.Sprintf("delete the spaces before %s", e.key)
	if a.indent != "" {
		help = fmt.Sprintf("indent it by %d, like the field above it", len(a.indent))
	}
	return cause{from: len(e.indent) + 1, to: len(e.indent) + 1 + len(e.key),
		message: fmt.Sprintf("%s is indented, but the line above holds no mapping", printable.Quote(e.key)),
		help:    help, mended: []byte(a.indent + line[len(e.indent):])}, true
}

// strayField reports a line below a field that is a field itself, rather than
// prose that continues the value: at the top one that is known, in a mapping
// any that looks like one.
func strayField(above entry, line string) bool {
	e, ok := splitEntry(line)
	if !ok || e.indent == "" || above.item {
		return false
	}
	if above.indent == "" {
		return usualField(e.key)
	}
	return isFieldName(e.key) && e.key == strings.ToLower(e.key)
}

// parent returns the nearest line above n that holds a value and is indented
// less.
func parent(x Lines, n int) (entry, bool) {
	indent := indentOf(string(x.Text(n)))
	for i := n - 1; i >= max(n-maxTried, 1) && indent > 0; i-- {
		line := string(x.Text(i))
		if e, ok := splitValue(line); ok && len(e.indent) < indent {
			return e, true
		}
		if !isBlankLine(line) {
			indent = min(indent, indentOf(line)+1)
		}
	}
	return entry{}, false
}

// unevenIndent finds a field that is indented, but less than the field above
// it that it was meant to stand beside.
func unevenIndent(x Lines, n int) (cause, bool) {
	line := string(x.Text(n))
	e, ok := splitEntry(line)
	a, okAbove := splitValue(lineAbove(x, n))
	if !ok || !okAbove || a.item || e.indent == "" || len(e.indent) >= len(a.indent) {
		return cause{}, false
	}
	if p, ok := parent(x, n); ok && isBlockHeader(p.value) {
		return cause{}, false
	}
	return cause{from: 1, to: len(e.indent) + 1,
		message: fmt.Sprintf("%s is indented by %d, the field above it by %d", printable.Quote(e.key), len(e.indent), len(a.indent)),
		help:    "indent fields of one mapping alike",
		mended:  []byte(a.indent + line[len(e.indent):])}, true
}

// lineBelow returns the first line after n that is not blank.
func lineBelow(x Lines, n int) string {
	for n++; n <= len(x.Starts); n++ {
		if line := string(x.Text(n)); !isBlankLine(line) {
			return line
		}
	}
	return ""
}

// lineAbove returns the last line before n that is not blank.
func lineAbove(x Lines, n int) string {
	for n--; n > 0; n-- {
		if line := string(x.Text(n)); !isBlankLine(line) {
			return line
		}
	}
	return ""
}
