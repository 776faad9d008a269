package frontmatter

import (
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
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
	in := printable.Quote(e.key)
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

// usualField reports the names that fields have: the specification's, those of
// known clients, and what else authors write at the top.
func usualField(key string) bool {
	switch key {
	case "author", "authors", "category", "created", "date", "homepage", "keywords", "language", "origin", "repository",
		"source", "status", "tags", "title", "tools", "triggers", "type", "updated", "version":
		return true
	}
	return specField(key) || clientField(key)
}

// HasPlaceholder reports a text with a place in it that a template was to fill.
func HasPlaceholder(text string) bool {
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
	if name == "" || len(name) > 64 || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" // every byte is one of these
}

// specField reports the fields of the specification.
func specField(key string) bool { return isTextField(key) || key == "metadata" }

// clientField reports fields that clients read besides.
func clientField(key string) bool {
	switch key {
	case "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable", "disallowed-tools",
		"model", "effort", "context", "agent", "background", "hooks", "paths", "shell":
		return true
	}
	return false
}
