package frontmatter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
)

// entry is a line that holds a value: key: value, or an item of a list.
type entry struct {
	indent, key, value string
	lead               string // all that stands before the value
	item               bool   // - value, without a key
}

// splitEntry reads a line of the shape key: value.
func splitEntry(line string) (entry, bool) {
	trimmed := strings.TrimLeft(line, " ")
	e := entry{indent: line[:len(line)-len(trimmed)]}
	key, rest, found := strings.Cut(trimmed, ":")
	if !found || key == "" || strings.ContainsAny(key, "#\"'{}[]") || strings.HasPrefix(key, "- ") {
		return e, false
	}
	e.key = key
	e.value = strings.TrimLeft(rest, " \t")
	gap := rest[:len(rest)-len(e.value)]
	e.lead = e.indent + key + ":" + gap
	e.value = strings.TrimRight(e.value, " \t")
	return e, gap != "" || e.value == ""
}

// splitValue also reads list items. A field that opens a mapping in a list
// (- key: value) is one whose indentation goes up to the key.
func splitValue(line string) (entry, bool) {
	rest := strings.TrimLeft(line, " ")
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[2:], " ")
	}
	lead := line[:len(line)-len(rest)]
	if strings.TrimLeft(lead, " ") == "" {
		return splitEntry(line)
	}
	if e, ok := splitEntry(rest); ok && isFieldName(e.key) {
		e.indent, e.lead = strings.ReplaceAll(lead, "-", " "), lead+e.lead
		return e, true
	}
	return entry{indent: line[:strings.IndexByte(line, '-')], lead: lead, value: strings.TrimRight(rest, " \t"), item: true}, rest != ""
}

// what names the value in messages.
func (e entry) what() string {
	if e.item {
		return "this list item"
	}
	return "the value of " + printable.Quote(e.key)
}

// written is the entry with another value, on one line, as help shows it.
func (e entry) written(value string) string {
	if e.item {
		return shorten("- " + value)
	}
	return shorten(e.key + ": " + value)
}

// wrong makes the cause for the characters from..to of the value (0-based code
// points, to 0 for the end), repaired by putting what remains of the value in
// quotes once the quotes that it has, as p says, are taken away.
func (e entry) wrong(from, to int, p peel, format string, args ...any) cause {
	if to == 0 {
		to = utf8.RuneCountInString(e.value)
	}
	text := p.of(e.value)
	c := cause{from: from, to: to, message: fmt.Sprintf(format, args...), peel: p, quotes: true,
		help: "quote the value: " + e.written(Quote(text))}
	if !strings.Contains(text, " #") && !holdsField(text) { // a comment or field to one, text to another
		c.fix = "quote the value"
	}
	return c
}

// holdsField reports whether a field stands in a text behind the end of a
// sentence or a quote: the line break before it may have been lost.
func holdsField(text string) bool {
	for i := range text {
		if text[i] != ':' || i+1 < len(text) && text[i+1] != ' ' {
			continue
		}
		before := strings.TrimRightFunc(text[:i], func(r rune) bool { return r < utf8.RuneSelf && isFieldName(string(r)) })
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
		if usualField(text[len(before):i]) && unicode.IsPunct(last) {
			return true
		}
	}
	return false
}

// peel says which quotes a value has that are not part of its text.
type peel uint8

const (
	peelNone peel = iota
	peelOpen      // the first character
	peelBoth      // the first and the last, and with them how quotes are written between
)

func (p peel) of(value string) string {
	switch {
	case p == peelNone || len(value) < 2:
		return value
	case p == peelOpen:
		return value[1:]
	case value[0] == '"':
		return strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
	}
	return strings.ReplaceAll(value[1:len(value)-1], "''", "'")
}

// Quote writes text as a quoted YAML scalar, the way a person would.
func Quote(s string) string {
	if !strings.ContainsAny(s, `"\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// shorten keeps a suggestion on a screen line or two.
func shorten(s string) string { return printable.TruncateMiddle(s, 160) }

// isFieldName reports whether a word may be the key of a field, so that prose
// with a colon in it is not taken for one.
func isFieldName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
