package frontmatter

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t")) == 0
}

// looksLikeField reports whether a line may belong to a frontmatter: a key or a
// continuation.
func looksLikeField(line string) bool {
	if line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
		return line != ""
	}
	key, _, found := strings.Cut(line, ":")
	return found && !strings.HasPrefix(line, "#") && !strings.ContainsAny(key, " \t")
}

// fieldKey returns the key of an unindented field, or "".
func fieldKey(line string) string {
	if e, ok := readEntry(line); ok && e.indent == 0 {
		return e.key
	}
	return ""
}

// usualFields are the field names of the specification, of known clients, and
// others that authors often write at the top level.
var usualFields = strings.Fields(`name description license compatibility allowed-tools metadata
	when_to_use argument-hint arguments disable-model-invocation user-invocable disallowed-tools model effort context agent background hooks
	paths shell author authors category created date homepage keywords language origin repository source status tags title tools triggers type
	updated version`)

func usualField(key string) bool { return slices.Contains(usualFields, key) }

// fieldFollows reports whether the next non-blank line below line n is a usual
// field.
func fieldFollows(x Lines, n int) bool {
	for n++; n <= len(x.Starts); n++ {
		if line := string(x.Text(n)); !isBlankLine(line) && line[0] != '#' {
			return usualField(fieldKey(line))
		}
	}
	return false
}

// nearFence reports the first line between open and end that resembles a fence,
// while the lines look like fields: further down, a thematic break or a table
// belongs to the body. If a fix can turn it into a fence, the block ends there.
// last is the last line that looks like a field.
func (d *Content) nearFence(open, end int) (last int, found bool) {
	x := d.Lines()
	last = open
	for n := open + 1; n <= end; n++ {
		line := strings.TrimRight(string(x.Text(n)), " \t")
		if m := findMistake(fenceMistakes, line); m != nil {
			next := n + 1
			for isBlankLine(string(x.Text(next))) && next < len(x.Starts) {
				next++
			}
			var fix *Fix
			if !looksLikeField(strings.TrimRight(string(x.Text(next)), " \t")) { // otherwise the line may not be a fence
				fix = fenceFix(x, n)
			}
			d.faultFix("frontmatter-unclosed", x.Line(n), fix, unclosed+"; "+m.why+": "+printable.Quote(line), m.help)
			if fix != nil {
				d.closeBlock(x, open, n)
			}
			return last, true
		}
		switch {
		case looksLikeField(line):
			last = n
		case line != "" && line[0] != '#':
			return last, false
		}
	}
	return last, false
}

// onlyDashes matches a line that is certainly meant as a fence.
var onlyDashes = lazyregexp.New(`^[` + invisible + `]*(?:---+|-*[` + dashes + `][-` + dashes + `]*)[ \t]*$`)

// fenceFix turns line n into a fence; nil if it may be something else.
func fenceFix(x Lines, n int) *Fix {
	start, line := x.Starts[n-1], string(x.Text(n))
	if n == 1 && strings.HasPrefix(line, byteOrderMark) {
		start, line = start+len(byteOrderMark), line[len(byteOrderMark):]
	}
	if !onlyDashes().MatchString(line) {
		return nil
	}
	return change(fmt.Sprintf("write --- on line %d", n), start, start+len(strings.TrimRight(line, " \t")), "---")
}

// reportBody finds the start of the body inside a block that cannot be parsed:
// the closing fence is missing, and a thematic break was read as one. The body
// starts with a heading or a line of prose below a blank line, preceded only by
// fields. x holds the lines of the YAML text; parsing failed at from.
func (d *Content) reportBody(x Lines, from int) bool {
	last, heading, blank := 0, 0, false
	for n := 1; n <= len(x.Starts); n++ {
		line := string(x.Text(n))
		switch {
		case isBlankLine(line):
			blank = true
		case line[0] == '#':
			if blank && heading == 0 && strings.HasPrefix(strings.TrimLeft(line, "#"), " ") {
				heading = n
			}
		case looksLikeField(line), strings.HasPrefix(line, "- ") && !blank:
			last, heading, blank = n, 0, false
		case last == 0 || from <= last:
			return false
		case heading == 0 && (!blank || fieldBelow(x, n)):
			return false
		default:
			shift := d.block.Line - 1
			d.fault("frontmatter-unclosed", d.Lines().Line(cmp.Or(heading, n)+shift),
				fmt.Sprintf("%s; the body starts here, before the --- on line %d", unclosed, d.BodyLine-1),
				fmt.Sprintf("add a line --- after line %d", last+shift))
			return true
		}
	}
	return false
}

// fieldBelow reports whether a usual field follows line n before any heading or
// code block, and not directly: then a value continues there.
func fieldBelow(x Lines, n int) bool {
	above := "\n" + string(x.Source[:x.Starts[n-1]])
	for ; n <= len(x.Starts); n++ {
		line := string(x.Text(n))
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "##") || strings.HasPrefix(line, "```") {
			return false
		}
		if key := fieldKey(line); usualField(key) {
			return !strings.Contains(above, "\n"+key+":")
		}
	}
	return false
}
