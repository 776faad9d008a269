package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// marginText finds lines that continue the value of a field above them, but
// stand at the margin, where only fields can: prose below a blank line. Below a
// field that announces a block of text (| or >) they are plainly its text.
func marginText(x lineIndex, n int) (cause, bool) {
	if !isMarginText(string(x.text(n))) {
		return cause{}, false
	}
	owner, first := n-1, n
	for ; owner >= max(n-maxTried, 1); owner-- {
		line := string(x.text(owner))
		if isMarginText(line) {
			first = owner
		} else if !isBlankLine(line) && line[0] != ' ' && line[0] != '\t' {
			break
		}
	}
	e, ok := splitEntry(string(x.text(owner)))
	if !ok {
		return cause{}, false
	}
	if c, ok := unclosedAbove(x, owner, e); ok {
		return c, true
	}
	if !isBlockHeader(e.value) && !(isProse(e.key) && isBlankLine(string(x.text(first-1)))) {
		return cause{}, false // a stray line as likely
	}
	c := cause{line: first, first: first, last: n, from: 1, to: utf8.RuneCount(x.text(first)) + 1,
		message: fmt.Sprintf("%s goes on with the value of %s, but is not indented", quote(strings.TrimSpace(string(x.text(first)))), quote(e.key)),
		help:    "indent it by 2"}
	want := 2
	if isBlockHeader(e.value) {
		if in := indentOf(lineBelow(x, owner)); in > 0 {
			want = in
		}
		c.help, c.fix = fmt.Sprintf("indent it by %d", want), "indent it like text of "+e.key
	}
	for i := n + 1; i <= min(len(x.starts), n+maxTried); i++ {
		line := string(x.text(i))
		if f, ok := splitEntry(line); ok && f.indent == "" && usualField(f.key) || strings.HasPrefix(line, "#") {
			break
		}
		if !isBlankLine(line) {
			c.last = i
		}
	}
	start := x.starts[first-1]
	for i := first; i <= c.last; i++ {
		line := string(x.text(i))
		c.mended = append(c.mended, x.src[start:x.starts[i-1]]...)
		if !isBlankLine(line) && indentOf(line) < want {
			c.mended = append(c.mended, strings.Repeat(" ", want)...)
		}
		c.mended = append(c.mended, line...)
		start = x.starts[i-1] + len(line)
	}
	return c, true
}

// isMarginText reports a line at the margin that is neither a field nor a
// comment.
func isMarginText(line string) bool {
	if isBlankLine(line) || strings.IndexByte(" \t#", line[0]) >= 0 || isItem(line) {
		return false
	}
	for _, marker := range mergeMarkers {
		if strings.HasPrefix(line, marker) {
			return false
		}
	}
	e, ok := splitEntry(line)
	return !ok || !isFieldName(e.key)
}

// isProse reports the fields that hold sentences.
func isProse(key string) bool {
	return key == "description" || key == "compatibility" || key == "when_to_use"
}

// unclosedAbove finds the quote that opens a value on the line owner and that
// nothing closes, neither there nor among the lines that follow at the margin.
func unclosedAbove(x lineIndex, owner int, e entry) (cause, bool) {
	c, ok := unclosedQuote(e)
	if !ok {
		return cause{}, false
	}
	lines := []string{e.value}
	for i := owner + 1; i <= len(x.starts); i++ {
		line := string(x.text(i))
		if !isBlankLine(line) && !isMarginText(line) && indentOf(line) == 0 {
			break
		}
		if text := strings.TrimSpace(line); text != "" {
			lines = append(lines, text)
		}
	}
	e.value = strings.Join(lines, " ")
	if whole, still := unclosedQuote(e); still {
		at := utf8.RuneCountInString(e.lead) + 1
		return cause{line: owner, first: owner, last: owner, from: at, to: at + 1, message: c.message, help: whole.help}, true
	}
	return cause{}, false
}

// mergeMarkers start the lines that git writes where two changes meet.
var mergeMarkers = []string{"<<<<<<<", "=======", ">>>>>>>"}
