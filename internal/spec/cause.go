package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// causes are the usual ways to break a line of frontmatter, most telling
// first. Each looks at one line of YAML and knows nothing of the parser.
var causes = []func(line string) (cause, bool){
	tabIndent, oddIndent, noSpaceAfterColon, placeholder, textAfterQuote, badEscape, unclosedQuote,
	specialStart, lineBreakInValue, colonInValue, hashInValue, strayIndent, noColon,
}

// entry is a line of the shape key: value.
type entry struct {
	indent, key, gap, value string
}

func splitEntry(line string) (entry, bool) {
	trimmed := strings.TrimLeft(line, " ")
	e := entry{indent: line[:len(line)-len(trimmed)]}
	key, rest, found := strings.Cut(trimmed, ":")
	if !found || key == "" || strings.ContainsAny(key, "#\"'{}[]") || strings.HasPrefix(key, "- ") {
		return e, false
	}
	e.key = key
	e.value = strings.TrimLeft(rest, " \t")
	e.gap = rest[:len(rest)-len(e.value)]
	e.value = strings.TrimRight(e.value, " \t")
	return e, e.gap != "" || e.value == ""
}

// column is where the value starts.
func (e entry) column() int {
	return utf8.RuneCountInString(e.indent+e.key+":"+e.gap) + 1
}

// requote writes the line with its value in quotes.
func (e entry) requote(value string) []byte {
	return []byte(e.indent + e.key + ": " + quoteYAML(value))
}

// quoteYAML writes text as a quoted YAML scalar, the way a person would.
func quoteYAML(s string) string {
	if !strings.ContainsAny(s, `"\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// wrong makes the cause for the characters from..to of the value (0-based code
// points, to 0 for the end), repaired by quoting it.
func (e entry) wrong(from, to int, value, format string, args ...any) cause {
	if to == 0 {
		to = utf8.RuneCountInString(e.value)
	}
	fixed := e.requote(value)
	return cause{from: e.column() + from, to: e.column() + to,
		message: fmt.Sprintf(format, args...), repaired: fixed, fix: quoteFix(value),
		help: "quote the value: " + shorten(strings.TrimSpace(string(fixed)))}
}

// quoteFix names the fix that quotes a value, "" where it may not be what is
// meant: a " #" is a comment to one and text to another.
func quoteFix(value string) string {
	if strings.Contains(value, " #") {
		return ""
	}
	return "quote the value"
}

// shorten keeps a suggestion on a screen line or two; what is left out is
// marked.
func shorten(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most/2]) + " … " + string(r[len(r)-most/2:])
	}
	return s
}

func tabIndent(line string) (cause, bool) {
	lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	i := strings.IndexByte(lead, '\t')
	if i < 0 || len(lead) == len(line) {
		return cause{}, false
	}
	fixed := strings.ReplaceAll(lead, "\t", "  ") + line[len(lead):]
	return cause{from: i + 1, to: len(lead) + 1, sure: true, message: "a tab is used as indentation",
		help: "indent with spaces", repaired: []byte(fixed), fix: "indent with spaces"}, true
}

// oddIndent finds spaces that are none to YAML, such as U+00A0.
func oddIndent(line string) (cause, bool) {
	rest := strings.TrimLeft(line, " ")
	r, n := utf8.DecodeRuneInString(rest)
	if rest == "" || !isOddSpace(r) {
		return cause{}, false
	}
	col := len(line) - len(rest) + 1
	fixed := line[:col-1] + " " + rest[n:]
	return cause{from: col, to: col + 1, sure: true, message: fmt.Sprintf("%s is used as indentation", describeRune(r)),
		help: "indent with plain spaces", repaired: []byte(fixed), fix: "indent with a plain space"}, true
}

// strayIndent finds a field that is indented below one that has its value
// already.
func strayIndent(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || e.indent == "" || !isFieldName(e.key) {
		return cause{}, false
	}
	return cause{from: len(e.indent) + 1, to: len(e.indent) + 1 + len(e.key),
		message: fmt.Sprintf("%s is indented, but the line above holds no mapping", quote(e.key)),
		help:    fmt.Sprintf("delete the spaces before %s", e.key), repaired: []byte(line[len(e.indent):])}, true
}

// unevenIndent finds a field that is indented, but less than the field above
// it that it was meant to stand beside.
func unevenIndent(line, above string) (cause, bool) {
	e, ok := splitEntry(line)
	a, okAbove := splitEntry(above)
	if !ok || !okAbove || e.indent == "" || len(e.indent) >= len(a.indent) {
		return cause{}, false
	}
	return cause{from: 1, to: len(e.indent) + 1,
		message:  fmt.Sprintf("%s is indented by %d, the field above it by %d", quote(e.key), len(e.indent), len(a.indent)),
		help:     "indent fields of one mapping alike",
		repaired: []byte(a.indent + line[len(e.indent):])}, true
}

func noSpaceAfterColon(line string) (cause, bool) {
	key, value, found := strings.Cut(line, ":")
	if !found || value == "" || strings.ContainsAny(value[:1], " \t/") || !isFieldName(strings.TrimSpace(key)) {
		return cause{}, false
	}
	col := utf8.RuneCountInString(key) + 1
	fixed := key + ": " + value
	return cause{from: col, to: col + 1, message: fmt.Sprintf("no space after the colon of %s", quote(strings.TrimSpace(key))),
		help: "write " + shorten(strings.TrimSpace(fixed)), repaired: []byte(fixed), fix: "add a space after the colon"}, true
}

// isFieldName reports whether a word may be the key of a field, so that prose
// with a colon in it is not taken for one.
func isFieldName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// noColon finds a line that is neither a field nor part of one.
func noColon(line string) (cause, bool) {
	t := strings.TrimSpace(line)
	if t == "" || line[0] == ' ' || t[0] == '#' || t[0] == '-' || strings.Contains(t, ":") || strings.ContainsAny(t[:1], `"'{[]}`) {
		return cause{}, false
	}
	return cause{from: 1, to: utf8.RuneCountInString(t) + 1,
		message: fmt.Sprintf("%s is no field: it has no colon", quote(t)),
		help:    "write it as key: value, indent it if it continues the line above, or move it into the body"}, true
}
