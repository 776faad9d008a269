package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// placeholderValue finds a template that nobody filled in.
func placeholderValue(e entry) (cause, bool) {
	if !strings.HasPrefix(e.value, "{{") && !strings.HasPrefix(e.value, "{%") {
		return cause{}, false
	}
	c := e.wrong(0, 0, peelNone, "%s is a template placeholder", e.what())
	c.help, c.fix, c.quotes = "fill the template in, or quote the value", "", false
	return c, true // {{ x }} is YAML too: see nodeReader.complexKey
}

// specialStart finds a plain value whose first character means something else
// to YAML.
func specialStart(e entry) (cause, bool) {
	if e.value == "" {
		return cause{}, false
	}
	means := map[byte]string{
		'[': "starts a list", ']': "ends a list", '{': "starts a mapping", '}': "ends a mapping",
		'*': "refers to an anchor", '&': "names an anchor", '!': "starts a tag", '%': "starts a directive",
		'@': "is reserved", '`': "is reserved", '|': "starts a block of text", '>': "starts a block of text",
		',': "separates list items",
	}[e.value[0]]
	switch {
	case strings.HasPrefix(e.value, "- "), e.value == "-":
		means = "starts a list item"
	case strings.HasPrefix(e.value, "? "):
		means = "starts a key"
	}
	if means == "" {
		return cause{}, false
	}
	c := e.wrong(0, 1, peelNone, "%s starts with %q, which %s in YAML", e.what(), e.value[:1], means)
	if !plainlyText(e.value) {
		c.fix = ""
	}
	if e.key == "<<" {
		c.fix, c.help = "", "write the fields out that were to be merged"
	}
	if e.value[0] == '|' || e.value[0] == '>' {
		c.help = "write the text on the lines below it, indented, or " + c.help
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
		return end > 0 && end < len(value)-1 && !strings.ContainsAny(value[1:end], "[{") && !strings.ContainsRune(",]}", rune(value[end+1]))
	}
	return true
}

// colonInValue finds the fault seen most often: a plain value with a colon and
// a space in it, or a colon at its end.
func colonInValue(e entry) (cause, bool) {
	i := colonIn(e.value)
	if hash := strings.Index(e.value, " #"); i < 0 || hash >= 0 && hash < i {
		return cause{}, false
	}
	at := utf8.RuneCountInString(e.value[:i])
	what := `": " in a plain value starts a new mapping`
	if i == len(e.value)-1 {
		what = `":" at the end of a plain value starts a new mapping`
	}
	in := quote(e.key)
	if e.item {
		in = "a list item"
	}
	c := e.wrong(at, at+1, peelNone, "%s (in %s)", what, in)
	if name := e.value[:i]; e.key == "name" && e.indent == "" && i == len(e.value)-1 && isPlainName(name) {
		c.help, c.fix, c.quotes, c.value = "delete the colon: "+e.written(name), "delete the colon", false, name
	}
	if e.key == "metadata" && e.indent == "" {
		c.help, c.fix = "write the keys on lines of their own below metadata:, indented", ""
	}
	return c, true
}

// colonIn is where a plain value holds a colon that YAML reads as one, -1 where
// it holds none.
func colonIn(value string) int {
	if value == "" || strings.ContainsAny(value[:1], `"'|>[{`) {
		return -1
	}
	i := strings.Index(value, ": ")
	if i < 0 && strings.HasSuffix(value, ":") {
		i = len(value) - 1
	}
	if t := strings.Index(value, ":\t"); i < 0 && t >= 0 {
		i = t
	}
	return i
}

// gluedField finds a field that lost its line: it stands at the end of another
// one's text, behind the end of a sentence or a closing quote. What it is
// repaired to reads on only; a person writes the line break.
func gluedField(e entry) (cause, bool) {
	if e.item || e.indent != "" {
		return cause{}, false
	}
	for i := range e.value {
		if e.value[i] != ':' || i+1 < len(e.value) && e.value[i+1] != ' ' {
			continue
		}
		before := strings.TrimRightFunc(e.value[:i], func(r rune) bool { return r < utf8.RuneSelf && isFieldName(string(r)) })
		key := e.value[len(before):i]
		end := strings.TrimRight(before, " ")
		last, _ := utf8.DecodeLastRuneInString(end)
		if !usualField(key) || end == "" || last != rune(e.value[0]) && !endsAsText(end) {
			continue
		}
		at := utf8.RuneCountInString(before)
		c := e.wrong(at, at+len(key), peelNone, "the line break before %s is missing: the field stands in %s", quote(key), e.what())
		c.help, c.fix = "start a new line with "+shorten(e.value[len(before):]), ""
		return c, true
	}
	return cause{}, false
}

// endsAsText reports whether a text ends as sentences do, in any script.
func endsAsText(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Pe, r) || unicode.Is(unicode.Pf, r) || r == '"' || r == '\''
	})
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.Is(unicode.Sentence_Terminal, last) || last == '…'
}

// hashInValue finds a comment that cuts a plain value off before the lines
// that continue it.
func hashInValue(e entry) (cause, bool) {
	i := strings.Index(e.value, " #")
	if i < 0 || strings.ContainsAny(e.value[:1], `"'|>[{#`) {
		return cause{}, false
	}
	at := utf8.RuneCountInString(e.value[:i]) + 1
	return e.wrong(at, at+1, peelNone, `" #" starts a comment, which cuts %s off`, e.what()), true
}

// usualField reports the names that fields have: the specification's, those of
// known clients, and what else authors write at the top.
func usualField(key string) bool {
	switch key {
	case "author", "authors", "category", "created", "date", "homepage", "keywords", "language", "origin", "repository",
		"source", "status", "tags", "title", "tools", "triggers", "type", "updated", "version":
		return true
	}
	return isSpecField(key) || len(readers(key)) > 0
}

// hasPlaceholder reports a text with a place in it that a template was to fill.
func hasPlaceholder(text string) bool {
	for _, mark := range []string{"{{", "{%", "<%", "${"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// placeholder is placeholderValue for a line of its own, with its columns.
func placeholder(line string) (cause, bool) {
	e, ok := splitEntry(line)
	c, found := placeholderValue(e)
	column := utf8.RuneCountInString(e.lead) + 1
	c.from, c.to = c.from+column, c.to+column
	return c, ok && found
}

// isPlainName reports a valid name of ASCII letters, digits and hyphens.
func isPlainName(name string) bool {
	if name == "" || len(name) > maxName || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" // every byte is one of these
}
