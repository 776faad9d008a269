package spec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// cause is why a line of YAML cannot be read.
type cause struct {
	// Where the culprit stands, in code points: of the line from 1 on, and while
	// a value is looked at, of the value from 0 on. to 0 is the line's end.
	line, from, to int
	told           int // the line that from and to are of, where that is another one
	message, help  string
	first, last    int    // the lines of the YAML text that the repair changes
	mended         []byte // what stands on them then, as many lines; nil where that needs a person
	repaired       []byte // the whole text mended, nil where mended is nil or does not help
	fix            string // what --fix does with the lines, "" where the repair is but a guess
	sure           bool   // a fault whether or not mending it alone helps

	// How a value is repaired: put in quotes without those that it has, or
	// replaced.
	quotes bool
	peel   peel
	value  string
}

// The usual ways to break a frontmatter, in each list the most telling first.
// None knows anything of the parser. The indentation is looked at first, then
// the characters of a line, then the value that stands on it.
var (
	indentCauses = []func(x lineIndex, n int) (cause, bool){tabbedField, unevenIndent, unevenItem, strayKnown, shallowText, listBelowValue, tabIndent}
	lineCauses   = []func(line string) (cause, bool){oddIndent, boldField, quotedField, noSpaceAfterColon, lineBreakInValue}
	valueCauses  = []func(e entry) (cause, bool){
		placeholderValue, missingComma, bracketTooMany, itemInFlow, unclosedFlow, gluedField, textAfterQuote, badEscape, unclosedQuote,
		specialStart, colonInValue, hashInValue,
	}
	lastCauses = []func(x lineIndex, n int) (cause, bool){strayIndent, marginText, noColon}
)

// Explaining parses again for every line it tries, so it is kept to texts and
// stretches of a size that people write.
const (
	maxExplained = 64 << 10
	maxTried     = 40
)

// findCause tries the lines from the parser's mark upwards: it often notices
// only on a later line.
func findCause(x lineIndex, mark yaml.Mark, err error) (cause, bool) {
	if len(x.src) > maxExplained {
		return cause{}, false
	}
	last := min(max(mark.Line, 1)+1, len(x.starts))
	tried := 0 // where the value starts that was looked at last
	for n := last; n >= max(last-maxTried, 1); n-- {
		for _, c := range causesAt(x, n, &tried) {
			if c.mended != nil {
				c.repaired = replaceLines(x, c.first, c.last, c.mended)
				if !comesFurther(c.repaired, mark, err) {
					if !c.sure || c.line != mark.Line {
						continue
					}
					c.repaired = nil
				}
			} else if n > max(mark.Line, 1) {
				continue
			}
			return c, true
		}
	}
	// Nothing helps by itself, but the line may be seen to be wrong.
	for _, check := range slices.Concat(indentCauses, lastCauses, []func(x lineIndex, n int) (cause, bool){strayText}) {
		if c, ok := check(x, mark.Line); ok && mark.Line > 0 {
			c.line, c.mended, c.fix = mark.Line, nil, ""
			return c, true
		}
	}
	return cause{}, false
}

// causesAt returns what may be wrong with a line and with the value that it is
// a part of, which is looked at once for all its lines.
func causesAt(x lineIndex, n int, tried *int) []cause {
	var out []cause
	onLine := func(checks []func(x lineIndex, n int) (cause, bool)) {
		for _, check := range checks {
			if c, ok := check(x, n); ok {
				if c.line == 0 {
					c.line = n
				}
				if c.first == 0 {
					c.first, c.last = n, n
				}
				out = append(out, c)
			}
		}
	}
	onLine(indentCauses)
	line := string(x.text(n))
	for _, check := range lineCauses {
		if c, ok := check(line); ok {
			c.line, c.first, c.last = n, n, n
			out = append(out, c)
		}
	}
	if s, ok := valueAt(x, n); ok && (s.start+1 != *tried || s.first == s.last) {
		*tried = s.start + 1
		for _, check := range valueCauses {
			if c, ok := check(s.entry); ok {
				out = append(out, s.locate(x, c))
			}
		}
	}
	onLine(lastCauses)
	return out
}

// replaceLines puts a text in the place of some lines.
func replaceLines(x lineIndex, first, last int, text []byte) []byte {
	return slices.Concat(x.src[:x.starts[first-1]], text, x.src[x.starts[last-1]+len(x.text(last)):])
}

// comesFurther reports whether the parser now accepts the text or stumbles on
// a later line only. Where it ran to the end in search of a quote or bracket,
// any other complaint is progress.
func comesFurther(text []byte, mark yaml.Mark, before error) bool {
	var node yaml.Node
	err := yaml.Load(text, &node)
	return err == nil || errorMark(err).Line > mark.Line ||
		strings.Contains(errorText(before), "end of stream") && errorText(err) != errorText(before)
}

// noSpaceAfterColon finds a field that YAML reads as one word.
func noSpaceAfterColon(line string) (cause, bool) {
	key, value, found := strings.Cut(line, ":")
	if !found || value == "" || strings.ContainsAny(value[:1], " \t/") || !isFieldName(strings.TrimSpace(key)) {
		return cause{}, false
	}
	col := utf8.RuneCountInString(key) + 1
	fixed := key + ": " + value
	return cause{from: col, to: col + 1, message: fmt.Sprintf("no space after the colon of %s", quote(strings.TrimSpace(key))),
		help: "write " + shorten(strings.TrimSpace(fixed)), mended: []byte(fixed), fix: "add a space after the colon"}, true
}

// lineBreakInValue finds a character that ends a line for YAML and for hardly
// anything else.
func lineBreakInValue(line string) (cause, bool) {
	i := strings.IndexAny(line, "\u0085\u2028\u2029")
	if i < 0 {
		return cause{}, false
	}
	r, n := utf8.DecodeRuneInString(line[i:])
	at := utf8.RuneCountInString(line[:i]) + 1
	return cause{from: at, to: at + 1, message: fmt.Sprintf("%s ends the line for YAML", describeRune(r)),
		help: "write a space, or delete it", mended: []byte(line[:i] + " " + line[i+n:])}, true
}

// noColon finds a line that is neither a field nor part of one.
func noColon(x lineIndex, n int) (cause, bool) {
	line := x.text(n)
	t := string(bytes.TrimSpace(line))
	if t == "" || line[0] == ' ' || t[0] == '#' || t[0] == '-' || strings.Contains(t, ":") || strings.ContainsAny(t[:1], `"'{[]}`) {
		return cause{}, false
	}
	for _, marker := range mergeMarkers {
		if strings.HasPrefix(t, marker) {
			return cause{from: 1, to: utf8.RuneCountInString(t) + 1, message: "this line marks a merge conflict", help: "choose one of the two sides, and delete the markers"}, true
		}
	}
	return cause{from: 1, to: utf8.RuneCountInString(t) + 1,
		message: fmt.Sprintf("%s is no field: it has no colon", quote(t)),
		help:    "write it as key: value, indent it if it continues the line above, or move it into the body"}, true
}
