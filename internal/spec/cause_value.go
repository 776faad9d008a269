package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// placeholder finds a template that nobody filled in.
func placeholder(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || !strings.HasPrefix(e.value, "{{") {
		return cause{}, false
	}
	c := e.wrong(0, 0, e.value, "the value of %s is a template placeholder", quote(e.key))
	c.help, c.fix = "fill the template in, or quote the value", ""
	return c, true // {{ x }} is YAML too: see nodeReader.complexKey
}

// specialStart finds a plain value whose first character means something else
// to YAML.
func specialStart(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || e.value == "" {
		return cause{}, false
	}
	means := map[byte]string{
		'[': "starts a list", ']': "ends a list", '{': "starts a mapping", '}': "ends a mapping",
		'*': "refers to an anchor", '&': "names an anchor", '!': "starts a tag", '%': "starts a directive",
		'@': "is reserved", '`': "is reserved", '|': "starts a block of text", '>': "starts a block of text",
		',': "separates list items",
	}[e.value[0]]
	if strings.HasPrefix(e.value, "- ") || e.value == "-" || strings.HasPrefix(e.value, "? ") {
		means = "starts a list item"
	}
	if means == "" {
		return cause{}, false
	}
	c := e.wrong(0, 1, e.value, "the value of %s starts with %q, which %s in YAML", quote(e.key), e.value[:1], means)
	if !plainlyText(e.value) {
		c.fix = ""
	}
	return c, true
}

// plainlyText reports whether a value that starts with a special character can
// be meant as text only. What starts like a list, a mapping or a block of text
// may be a broken one.
func plainlyText(value string) bool {
	switch value[0] {
	case '|', '>', '-', '?':
		return false
	case '[', '{':
		end := strings.IndexByte(value, value[0]+2) // ] and } stand two after [ and {
		return end > 0 && end < len(value)-1 && !strings.ContainsAny(value[1:end], "[{") && value[end+1] != ','
	}
	return true
}

// colonInValue finds the fault seen most often: a plain value with a colon and
// a space in it, or a colon at its end.
func colonInValue(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || e.value == "" || strings.ContainsAny(e.value[:1], `"'|>[{`) {
		return cause{}, false
	}
	i := strings.Index(e.value, ": ")
	if i < 0 && strings.HasSuffix(e.value, ":") {
		i = len(e.value) - 1
	}
	if t := strings.Index(e.value, ":\t"); i < 0 && t >= 0 {
		i = t
	}
	if i < 0 {
		return cause{}, false
	}
	at := utf8.RuneCountInString(e.value[:i])
	what := `": " in a plain value starts a new mapping`
	if i == len(e.value)-1 {
		what = `":" at the end of a plain value starts a new mapping`
	}
	return e.wrong(at, at+1, e.value, "%s (in %s)", what, quote(e.key)), true
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
		help: "write a space, or delete it", repaired: []byte(line[:i] + " " + line[i+n:])}, true
}

// hashInValue finds a comment that cuts a plain value off before the lines
// that continue it.
func hashInValue(line string) (cause, bool) {
	e, ok := splitEntry(line)
	i := strings.Index(e.value, " #")
	if !ok || i < 0 || strings.ContainsAny(e.value[:1], `"'|>[{#`) {
		return cause{}, false
	}
	at := utf8.RuneCountInString(e.value[:i]) + 1
	c := e.wrong(at, at+1, e.value, `" #" starts a comment, which cuts the value of %s off`, quote(e.key))
	c.sure, c.seenAfter = true, 1
	c.help, c.fix = "quote the whole value, with the lines that continue it", ""
	return c, true
}

// textAfterQuote finds a value that starts with a quoted word and goes on.
func textAfterQuote(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || e.value == "" || e.value[0] != '"' && e.value[0] != '\'' {
		return cause{}, false
	}
	end := closingQuote(e.value)
	if end < 0 {
		return cause{}, false
	}
	rest := strings.TrimLeft(e.value[end:], " \t")
	if rest == "" || rest[0] == '#' && len(rest) < len(e.value[end:]) {
		return cause{}, false
	}
	return e.wrong(utf8.RuneCountInString(e.value[:end])-1, 0, e.value,
		"text follows the closing quote in the value of %s", quote(e.key)), true
}

// closingQuote returns the index after the quote that closes value, or -1.
func closingQuote(value string) int {
	q := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case q == '"' && value[i] == '\\':
			i++
		case value[i] != q:
		case q == '\'' && i+1 < len(value) && value[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

func unclosedQuote(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || e.value == "" || e.value[0] != '"' && e.value[0] != '\'' || closingQuote(e.value) >= 0 {
		return cause{}, false
	}
	bare := e.value[1:]
	c := e.wrong(0, 1, bare, "the quote that opens the value of %s is never closed", quote(e.key))
	c.help = "close the quote: " + shorten(strings.TrimSpace(string(e.requote(bare))))
	return c, true
}

// badEscape finds a backslash that no YAML escape starts with.
func badEscape(line string) (cause, bool) {
	e, ok := splitEntry(line)
	if !ok || e.value == "" || e.value[0] != '"' {
		return cause{}, false
	}
	for i := 1; i+1 < len(e.value); i++ {
		if e.value[i] != '\\' {
			continue
		}
		i++
		if isEscape(e.value[i]) {
			continue
		}
		end := closingQuote(e.value)
		if end < 0 {
			return cause{}, false
		}
		at := utf8.RuneCountInString(e.value[:i-1])
		inner := strings.ReplaceAll(e.value[1:end-1], `\"`, `"`)
		fixed := []byte(e.indent + e.key + ": '" + strings.ReplaceAll(inner, "'", "''") + "'")
		return cause{from: e.column() + at, to: e.column() + at + 2,
			message:  fmt.Sprintf("%s is no escape in a double-quoted value", quote(e.value[i-1:i+1])),
			help:     "use single quotes: " + shorten(strings.TrimSpace(string(fixed))),
			repaired: fixed, fix: escapeFix(e.value[1 : end-1])}, true
	}
	return cause{}, false
}

// escapeFix names the fix that turns a double-quoted value into a
// single-quoted one, "" where it holds escapes that mean something.
func escapeFix(inner string) string {
	for i := 0; i < len(inner); i++ {
		if inner[i] != '\\' {
			continue
		}
		i++
		if i < len(inner) && inner[i] != '"' && isEscape(inner[i]) {
			return ""
		}
	}
	return "use single quotes"
}

// isEscape reports whether a backslash before a character starts one of
// YAML's escapes.
func isEscape(c byte) bool { return strings.IndexByte("0abt\tnvfre \"/\\N_LPxuU", c) >= 0 }
