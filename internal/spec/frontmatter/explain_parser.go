package frontmatter

import "strings"

// parserWords are the complaints of the YAML parser that people meet, by a part
// of them, in words about what they see. The first that fits counts.
var parserWords = []struct{ part, message, help string }{
	{"end of stream", "a quote or a bracket is opened and never closed", "close it, or quote the whole value"},
	{"expected ',' or ']'", "a list in brackets is not closed, or has no comma between two items", "close it with ], or quote the whole value"},
	{"expected ',' or '}'", "a mapping in braces is not closed, or has no comma between two keys", "close it with }, or quote the whole value"},
	{"mapping values are not allowed", `a ": " stands where no field can start`, "quote the value that holds it, or write the field on a line of its own"},
	{"block sequence entries are not allowed", "a list item stands where none can start", "write the list on the lines below its field, every item indented alike"},
	{"expected '-' indicator", "this line stands in a list, but is no item of it", "start it with a dash, or indent it like the fields around the list"},
	{"expected key", "this line is neither a field nor part of one", "indent it like the lines that it belongs to, or quote the value above it"},
	{"could not find expected ':'", "a line is no field: it has no colon", "write it as key: value, or indent it if it continues the line above"},
	{"cannot start any token", "this character cannot start a value", "quote the value"},
	{"unknown anchor", "a value that starts with * refers to an anchor that there is not", "quote the value"},
	{"hexadecimal number", "a backslash in a double-quoted value starts no escape", "use single quotes"},
	{"unknown escape", "a backslash in a double-quoted value starts no escape", "use single quotes"},
	{"expected <document start>", "the fields end before this line", "write every field as key: value at the start of its line"},
	{"tab character", "a tab is used as indentation", "indent with spaces"},
}

// inWords says what the parser complains of; where no words are known, in its
// own.
func inWords(text string) (message, help string) {
	for _, w := range parserWords {
		if strings.Contains(text, w.part) {
			return w.message, w.help
		}
	}
	return text, "quote values that hold special characters"
}
