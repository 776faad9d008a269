package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
)

// bodyInBlock finds the body inside a block that cannot be read: the closing
// fence is missing, and a rule further down was taken for it. A body starts
// with a heading or a line of prose below a blank line; before it stand only
// fields. Prose that another field follows is none: a value goes on there. from
// is the line of the YAML text where the parser stumbled.
func (d *Content) bodyInBlock(x Lines, from int) (Fault, bool) {
	last, heading, blank := 0, 0, false
	for n := 1; n <= len(x.Starts); n++ {
		line := string(x.Text(n))
		switch {
		case isBlankLine(line):
			blank = true
			continue
		case line[0] == '#':
			if blank && heading == 0 && strings.HasPrefix(strings.TrimLeft(line, "#"), " ") {
				heading = n
			}
		case looksLikeField(line), strings.HasPrefix(line, "- ") && !blank:
			last, heading = n, 0
		case last == 0 || !blank && heading == 0 || from <= last:
			return Fault{}, false
		case heading == 0 && fieldBelow(x, n):
			return Fault{}, false
		default:
			at := n
			if heading > 0 {
				at = heading
			}
			shift := d.block.Line - 1
			return Fault{Rule: "frontmatter-unclosed", Span: d.Lines().Line(at + shift),
				Message: fmt.Sprintf("%s; the body starts here, before the --- on line %d", unclosed, d.BodyLine-1),
				Help:    fmt.Sprintf("add a line --- after line %d", last+shift)}, true
		}
		blank = blank && line[0] == '#'
	}
	return Fault{}, false
}

// fieldBelow reports whether a field that clients read, and that does not stand
// above line n, follows that line before any heading or block of code.
func fieldBelow(x Lines, n int) bool {
	for i := n; i <= len(x.Starts); i++ {
		line := string(x.Text(i))
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "##") || strings.HasPrefix(line, "```") {
			return false
		}
		e, ok := splitEntry(line)
		if !ok || e.indent != "" || !readField(e.key) {
			continue
		}
		for above := 1; above < n; above++ {
			if a, ok := splitEntry(string(x.Text(above))); ok && a.indent == "" && a.key == e.key {
				return false
			}
		}
		return true
	}
	return false
}

// fieldLines returns the last of the lines at the start of a file that are
// fields, 0 where the first is none.
func fieldLines(x Lines) int {
	last := 0
	for n := 1; n <= len(x.Starts); n++ {
		line := string(bytes.TrimPrefix(x.Text(n), []byte(byteOrderMark)))
		e, ok := splitEntry(line)
		switch {
		case n == 1 && (!ok || !usualField(e.key)):
			return 0
		case looksLikeField(line), strings.HasPrefix(line, "- "):
			last = n
		case !isBlankLine(line) && line[0] != '#':
			return last
		}
	}
	return last
}

// fieldsBefore reports whether nothing but fields, comments and blank lines
// stand before line n: only the opening fence is missing.
func fieldsBefore(x Lines, n int) bool {
	last := fieldLines(x)
	for i := last + 1; i < n; i++ {
		if line := string(x.Text(i)); !isBlankLine(line) && line[0] != '#' {
			return false
		}
	}
	return last > 0
}
