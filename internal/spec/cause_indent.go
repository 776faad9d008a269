package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

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
		help: "indent with plain spaces", mended: []byte(fixed), fix: "indent with a plain space"}, true
}

// strayIndent finds a field that is indented below one that has its value
// already.
func strayIndent(x lineIndex, n int) (cause, bool) {
	line := string(x.text(n))
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
		message: fmt.Sprintf("%s is indented, but the line above holds no mapping", quote(e.key)),
		help:    help, mended: []byte(a.indent + line[len(e.indent):])}, true
}

// strayKnown is strayIndent for what can hardly be a line of prose.
func strayKnown(x lineIndex, n int) (cause, bool) {
	if a, ok := parent(x, n); !ok || !strayField(a, string(x.text(n))) {
		return cause{}, false
	}
	return strayIndent(x, n)
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
func parent(x lineIndex, n int) (entry, bool) {
	indent := indentOf(string(x.text(n)))
	for i := n - 1; i >= max(n-maxTried, 1) && indent > 0; i-- {
		line := string(x.text(i))
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
func unevenIndent(x lineIndex, n int) (cause, bool) {
	line := string(x.text(n))
	e, ok := splitEntry(line)
	a, okAbove := splitValue(lineAbove(x, n))
	if !ok || !okAbove || a.item || e.indent == "" || len(e.indent) >= len(a.indent) {
		return cause{}, false
	}
	if p, ok := parent(x, n); ok && isBlockHeader(p.value) {
		return cause{}, false
	}
	return cause{from: 1, to: len(e.indent) + 1,
		message: fmt.Sprintf("%s is indented by %d, the field above it by %d", quote(e.key), len(e.indent), len(a.indent)),
		help:    "indent fields of one mapping alike",
		mended:  []byte(a.indent + line[len(e.indent):])}, true
}

// unevenItem finds a list item that is indented less than the one above it, and
// a line among items that lost its dash.
func unevenItem(x lineIndex, n int) (cause, bool) {
	line, above := string(x.text(n)), lineAbove(x, n)
	if !isItem(above) || isBlankLine(line) {
		return cause{}, false
	}
	text, indent, want := strings.TrimSpace(line), indentOf(line), indentOf(above)
	_, field := splitEntry(line)
	switch {
	case isItem(line) && 0 < indent && indent != want:
		return cause{from: 1, to: indent + 1,
			message: fmt.Sprintf("this list item is indented by %d, the one above it by %d", indent, want),
			help:    "indent the items of one list alike", mended: []byte(above[:want] + text)}, true
	case !isItem(line) && indent == want && !field && text[0] != '#':
		return cause{from: indent + 1, to: indent + 1 + utf8.RuneCountInString(text),
			message: fmt.Sprintf("%s is no list item: it has no dash", quote(text)),
			help:    "write " + shorten("- "+text), mended: []byte(above[:want] + "- " + text)}, true
	}
	return cause{}, false
}

// listBelowValue finds a field with text that ends in a colon, and list items
// below it that are indented no more than the field.
func listBelowValue(x lineIndex, n int) (cause, bool) {
	e, ok := splitEntry(string(x.text(n)))
	below := lineBelow(x, n)
	if !ok || !isItem(below) || indentOf(below) != len(e.indent) || colonIn(e.value) != len(e.value)-1 || e.value == "" {
		return cause{}, false
	}
	at := utf8.RuneCountInString(e.lead+e.value) + 1
	return cause{from: at - 1, to: at,
		message: fmt.Sprintf("the value of %s is a text and then a list", quote(e.key)),
		help:    "write " + e.key + ": |- and the text with its list on the lines below, indented"}, true
}

// strayText finds an indented line that neither is a field nor continues one.
func strayText(x lineIndex, n int) (cause, bool) {
	line := string(x.text(n))
	text := strings.TrimSpace(line)
	if _, field := splitEntry(line); field || text == "" || indentOf(line) == 0 || isItem(line) || text[0] == '#' {
		return cause{}, false
	}
	at := indentOf(line) + 1
	return cause{from: at, to: at + utf8.RuneCountInString(text), message: fmt.Sprintf("%s belongs to no value", quote(text)),
		help: "write it right below the value that it continues, without a comment between them, or as key: value"}, true
}

// lineBelow returns the first line after n that is not blank.
func lineBelow(x lineIndex, n int) string {
	for n++; n <= len(x.starts); n++ {
		if line := string(x.text(n)); !isBlankLine(line) {
			return line
		}
	}
	return ""
}

// lineAbove returns the last line before n that is not blank.
func lineAbove(x lineIndex, n int) string {
	for n--; n > 0; n-- {
		if line := string(x.text(n)); !isBlankLine(line) {
			return line
		}
	}
	return ""
}

// shallowText finds lines of a block of text (| or >) that are indented, but
// less than its first line, where the block ends for YAML.
func shallowText(x lineIndex, n int) (cause, bool) {
	indent := indentOf(string(x.text(n)))
	head := n - 1
	for ; head >= max(n-maxTried, 1); head-- {
		if line := string(x.text(head)); !isBlankLine(line) && indentOf(line) < indent {
			break
		}
	}
	e, ok := splitValue(string(x.text(head)))
	first := head + 1
	for first < n && isBlankLine(string(x.text(first))) {
		first++
	}
	want := indentOf(string(x.text(first)))
	if !ok || !isBlockHeader(e.value) || isBlankLine(string(x.text(n))) || indent <= len(e.indent) || first >= n || indent >= want {
		return cause{}, false
	}
	last, fixed := n, slices.Clone(x.text(n))
	for i := n + 1; i <= len(x.starts); i++ {
		line := string(x.text(i))
		if isBlankLine(line) || indentOf(line) != indent {
			break
		}
		fixed = slices.Concat(fixed, x.src[x.starts[i-2]+len(x.text(i-1)):x.starts[i-1]], []byte(strings.Repeat(" ", want-indent)), x.text(i))
		last = i
	}
	return cause{from: 1, to: indent + 1, first: n, last: last,
		message: fmt.Sprintf("this line is indented by %d, the text of %s above it by %d", indent, quote(e.key), want),
		help:    fmt.Sprintf("indent it by %d as well", want),
		mended:  slices.Concat([]byte(strings.Repeat(" ", want-indent)), fixed), fix: "indent it like the text above"}, true
}
