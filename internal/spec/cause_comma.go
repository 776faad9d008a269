package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// bracketTooMany finds a list or mapping with brackets behind its end.
func bracketTooMany(e entry) (cause, bool) {
	if !wantsFlow(e) {
		return cause{}, false
	}
	end := closedAt(e.value)
	if end < 0 || end == len(e.value)-1 || strings.Trim(e.value[end+1:], "]} ") != "" {
		return cause{}, false
	}
	kept := e.value[:end+1]
	at := utf8.RuneCountInString(kept + e.value[end+1:len(e.value)-1])
	c := cause{from: at, to: at + 1, value: kept,
		message: fmt.Sprintf("the %q at the end of %s closes nothing", e.value[len(e.value)-1:], e.what()), help: "delete it: " + e.written(kept)}
	if e.key == "allowed-tools" {
		c.help = "write the tools with spaces between them: " + e.written(toolsOf(kept[1:end]))
	}
	return c, true
}

// missingComma finds an entry behind a closing quote, where a comma has to be.
func missingComma(e entry) (cause, bool) {
	if !wantsFlow(e) || !closesAtEnd(e.value) {
		return cause{}, false
	}
	at := 1
	for _, part := range splitFlow(e.value[1 : len(e.value)-1]) {
		item := strings.TrimSpace(part)
		if _, value, ok := strings.Cut(item, ": "); ok && e.value[0] == '{' {
			item = strings.TrimSpace(value)
		}
		end := -1
		if item != "" && (item[0] == '"' || item[0] == '\'') {
			end = closingQuote(item)
		}
		if end < 0 || strings.TrimSpace(item[end:]) == "" {
			at += len(part) + 1
			continue
		}
		next := strings.TrimSpace(item[end:])
		at += strings.LastIndex(part, next)
		key := next
		if end := closingQuote(next); (next[0] == '"' || next[0] == '\'') && end > 0 {
			key = next[:end]
		} else if k, _, ok := strings.Cut(next, ":"); ok {
			key = k
		}
		from := utf8.RuneCountInString(e.value[:at])
		value := strings.TrimRight(e.value[:at], " ") + ", " + e.value[at:]
		c := cause{from: from, to: from + utf8.RuneCountInString(key), value: value,
			message: fmt.Sprintf("no comma stands before %s in %s", quote(strings.Trim(key, `"'`)), e.what()), help: "put one there: " + e.written(value)}
		switch {
		case e.key == "allowed-tools":
			c.help = "write the tools with spaces between them: " + e.written(toolsOf(value[1:len(value)-1]))
		case e.key == "metadata" && e.indent == "" && e.value[0] == '{':
			c.help = "put one there, or write one key a line, indented, under metadata:"
		}
		return c, true
	}
	return cause{}, false
}
