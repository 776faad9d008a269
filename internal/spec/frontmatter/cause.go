package frontmatter

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
)

// cause is why a line of YAML cannot be read.
type cause struct {
	line, from, to int // columns from 1, in code points; to 0 is the line's end
	message, help  string
	first, last    int    // the lines of the YAML text that the repair changes
	repair         []byte // what they become, as many lines; nil where that needs a person
	repaired       []byte // the whole text with the repair
	fix            string // what --fix does with the lines, "" where the repair is a guess
}

// lineCheck looks for a cause on a line of a text, and valueCheck in a value,
// where columns count from 0. None knows anything of the parser.
type (
	lineCheck  func(x Lines, n int) (cause, bool)
	valueCheck func(e entry) (wrongValue, bool)
)

// causesAt returns what may be wrong with a line and with the value that it is
// a part of, which is looked at once for all its lines. A field that is indented
// below a value comes last: it may as well be a part of it.
func causesAt(x Lines, n int, tried *int) []cause {
	var out []cause
	for _, check := range []lineCheck{unevenIndent, tabIndent} {
		if c, ok := check(x, n); ok {
			out = append(out, c)
		}
	}
	if s, ok := valueAt(x, n); ok && (s.start+1 != *tried || s.first == s.last) {
		*tried = s.start + 1
		for _, check := range []valueCheck{placeholderValue, unclosedFlow, textAfterQuote, unclosedQuote, colonInValue} {
			if w, ok := check(s.entry); ok {
				out = append(out, s.locate(x, w))
			}
		}
	}
	if c, ok := strayIndent(x, n); ok {
		out = append(out, c)
	}
	return out
}

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
	return cause{line: n, from: len(e.indent) + 1, to: len(e.indent) + 1 + len(e.key), first: n, last: n,
		message: fmt.Sprintf("%s is indented, but the line above holds no mapping", printable.Quote(e.key)),
		help:    help, repair: []byte(a.indent + line[len(e.indent):])}, true
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
// it that it was meant to be beside.
func unevenIndent(x Lines, n int) (cause, bool) {
	line := string(x.Text(n))
	e, ok := splitEntry(line)
	above := n - 1
	for above > 0 && isBlankLine(string(x.Text(above))) {
		above--
	}
	a, okAbove := splitValue(string(x.Text(above)))
	if !ok || !okAbove || a.item || e.indent == "" || len(e.indent) >= len(a.indent) {
		return cause{}, false
	}
	if p, ok := parent(x, n); ok && isBlockHeader(p.value) {
		return cause{}, false
	}
	return cause{line: n, from: 1, to: len(e.indent) + 1, first: n, last: n,
		message: fmt.Sprintf("%s is indented by %d, the field above it by %d", printable.Quote(e.key), len(e.indent), len(a.indent)),
		help:    "indent fields of one mapping alike",
		repair:  []byte(a.indent + line[len(e.indent):])}, true
}

// tabIndent finds a tab where YAML takes only spaces, with the lines around it
// that are indented by tabs as well: they are one block.
func tabIndent(x Lines, n int) (cause, bool) {
	lead := leadOf(string(x.Text(n)))
	i := strings.IndexByte(lead, '\t')
	if i < 0 || len(lead) == len(x.Text(n)) {
		return cause{}, false
	}
	c := cause{line: n, from: i + 1, to: len(lead) + 1, first: n, last: n, message: "a tab is used as indentation",
		help: "indent with spaces", fix: "indent with spaces"}
	tabbed := func(n int) bool {
		line := string(x.Text(n))
		return strings.HasPrefix(line, "\t") && !isBlankLine(line)
	}
	for c.first > max(n-maxTried, 1) && tabbed(c.first-1) {
		c.first--
	}
	for c.last < min(n+maxTried, len(x.Starts)) && tabbed(c.last+1) {
		c.last++
	}
	if c.first < n { // the parser has read on
		c.line, c.from, c.to = c.first, 1, len(leadOf(string(x.Text(c.first))))+1
	}
	unit := strings.Repeat(" ", tabWidth(x, c.first, tabbed))
	start := x.Starts[c.first-1]
	for i := c.first; i <= c.last; i++ {
		text := string(x.Text(i))
		lead := leadOf(text)
		c.repair = slices.Concat(c.repair, x.Source[start:x.Starts[i-1]], []byte(strings.ReplaceAll(lead, "\t", unit)+text[len(lead):]))
		start = x.Starts[i-1] + len(text)
	}
	return c, true
}

// tabWidth is how many spaces a tab at the start of line n means: as many as the
// lines above it are indented by below their field, or two.
func tabWidth(x Lines, n int, tabbed func(int) bool) int {
	width := 0
	for n--; n > 0; n-- {
		line := string(x.Text(n))
		switch indent := indentOf(line); {
		case isBlankLine(line):
		case indent == 0:
			return max(width, 2)
		case !tabbed(n) && (width == 0 || indent < width):
			width = indent
		}
	}
	return 2
}

// leadOf is the white space at the start of a line.
func leadOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// wrongValue is what is wrong with a value: the characters from..to of it, in
// code points from 0.
type wrongValue struct {
	from, to      int
	message, help string
	fix           string
	// strip removes the quotes that are not part of the value's text, before the
	// repair quotes it again; nil if it cannot be repaired.
	strip func(value string) string
}

// wrong makes the cause for the characters from..to of the value (to 0 for the
// end), repaired by quoting what remains of the value once strip has removed
// the quotes that it has.
func (e entry) wrong(from, to int, strip func(string) string, format string, args ...any) wrongValue {
	if to == 0 {
		to = utf8.RuneCountInString(e.value)
	}
	text := strip(e.value)
	w := wrongValue{from: from, to: to, message: fmt.Sprintf(format, args...), strip: strip,
		help: "quote the value: " + e.written(Quote(text))}
	if !strings.Contains(text, " #") && !holdsField(text) { // a comment or field to one, text to another
		w.fix = "quote the value"
	}
	return w
}

func keepQuotes(value string) string { return value }

func stripOpening(value string) string { return value[1:] }

// stripQuotes takes away the first and the last character, and with them how
// quotes are written between.
func stripQuotes(value string) string {
	if value[0] == '"' {
		return strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
	}
	return strings.ReplaceAll(value[1:len(value)-1], "''", "'")
}
