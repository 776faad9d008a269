package spec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// unclosedFlow finds a list or mapping that is opened and not closed. Where
// only text is wanted, specialStart says so.
func unclosedFlow(e entry) (cause, bool) {
	if !wantsFlow(e) || bracketsClose(e.value) {
		return cause{}, false
	}
	c := e.wrong(0, 1, peelNone, "the %q that opens %s is never closed", e.value[:1], e.what())
	c.help, c.fix = "close it: "+e.written(e.value+missingBrackets(e.value)), ""
	switch text := strings.Trim(e.value, "[]{} "); {
	case e.key == "allowed-tools":
		c.help = "write the tools with spaces between them: " + e.written(toolsOf(e.value[1:]))
	case e.under == "metadata" && text != "": // where only text may stand
		c.help = "write it as text: " + e.written(quoteYAML(text))
	}
	return c, true
}

// itemInFlow finds an item of a list, or a value of a mapping, on one line that
// needs quotes of its own.
func itemInFlow(e entry) (cause, bool) {
	if !wantsFlow(e) || !closesAtEnd(e.value) {
		return cause{}, false
	}
	open, end := e.value[:1], e.value[len(e.value)-1:]
	var parts []string
	at, from, bad := 1, 0, ""
	for _, part := range splitFlow(e.value[1 : len(e.value)-1]) {
		item := strings.TrimSpace(part)
		if key, value, ok := strings.Cut(item, ": "); ok && open == "{" && key != "" {
			item = value
		}
		i := strings.LastIndex(part, item)
		if needsQuotes(item) {
			if bad == "" {
				bad, from = item, at+i
			}
			parts = append(parts, part[:i]+quoteYAML(item)+part[i+len(item):])
		} else {
			parts = append(parts, part)
		}
		at += len(part) + 1
	}
	if bad == "" {
		return cause{}, false
	}
	start := utf8.RuneCountInString(e.value[:from])
	mended := open + strings.Join(parts, ",") + end
	c := cause{from: start, to: start + utf8.RuneCountInString(bad), value: mended,
		message: quote(bad) + " needs quotes in " + e.what(), help: "quote it: " + e.written(mended)}
	if open == "[" && !startsOwnLine(bad) {
		c.fix = "quote the item"
	}
	if e.key == "allowed-tools" {
		c.help = "write the tools with spaces between them: " + e.written(toolsOf(e.value[1:len(e.value)-1]))
	}
	return c, true
}

// wantsFlow reports a value that starts like a list or mapping where one may
// be meant.
func wantsFlow(e entry) bool {
	return e.value != "" && (e.value[0] == '[' || e.value[0] == '{') && !strings.HasPrefix(e.value, "{{") &&
		(e.item || e.indent != "" || !isTextField(e.key) || e.key == "allowed-tools")
}

// needsQuotes reports a plain item that YAML does not read as the text that it
// is.
func needsQuotes(item string) bool {
	if item == "" || strings.ContainsAny(item[:1], `"'[{`) {
		return false
	}
	return strings.Contains(item, ": ") || strings.HasSuffix(item, ":") || strings.ContainsAny(item[:1], "*&!%@`|>") || strings.Contains(item, " #")
}

// bracketsClose reports whether every bracket of a value is closed; those in quotes
// do not count.
func bracketsClose(value string) bool { return missingBrackets(value) == "" }

// closesAtEnd reports whether the bracket that opens a value is closed by its
// last character, and not before.
func closesAtEnd(value string) bool { return closedAt(value) == len(value)-1 }

// closedAt is where the bracket that opens a value is closed, -1 where none of
// its kind does that.
func closedAt(value string) int {
	depth, closed := 0, -1
	eachPlain(value, func(i int, c byte) {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 && closed < 0 {
				closed = i
			}
		}
	})
	if closed < 0 || value[closed] != value[0]+2 {
		return -1
	}
	return closed
}

// missingBrackets returns what closes the brackets that a value leaves open.
func missingBrackets(value string) string {
	var open []byte
	eachPlain(value, func(_ int, c byte) {
		switch c {
		case '[', '{':
			open = append(open, c+2) // ] and } stand two after [ and {
		case ']', '}':
			open = open[:max(len(open)-1, 0)]
		}
	})
	slices.Reverse(open)
	return string(open)
}

// splitFlow splits what stands between brackets at its commas.
func splitFlow(inner string) []string {
	var out []string
	depth, start := 0, 0
	eachPlain(inner, func(i int, c byte) {
		switch {
		case strings.IndexByte("[{(", c) >= 0:
			depth++
		case strings.IndexByte("]})", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			out = append(out, inner[start:i])
			start = i + 1
		}
	})
	return append(out, inner[start:])
}

// eachPlain calls f with every byte of a flow value that stands outside quotes.
func eachPlain(value string, f func(i int, c byte)) {
	var q byte
	for i := 0; i < len(value); i++ {
		c := value[i]
		opens := i == 0 || strings.IndexByte(" ,[{:", value[i-1]) >= 0
		switch {
		case q == '"' && c == '\\':
			i++
		case c == q:
			q = 0
		case q == 0 && opens && (c == '"' || c == '\''):
			q = c
		case q == 0:
			f(i, c)
		}
	}
}

// toolsOf writes the items of a list as the text that allowed-tools is.
func toolsOf(inner string) string {
	var tools []string
	for _, part := range splitFlow(inner) {
		if tool := strings.Trim(strings.TrimSpace(part), `"'`); tool != "" {
			tools = append(tools, tool)
		}
	}
	text := strings.Join(tools, " ")
	if !readsPlain(text) {
		text = quoteYAML(text)
	}
	return text
}
