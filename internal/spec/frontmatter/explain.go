package frontmatter

// The errors of the YAML parser become faults that a user understands. A cause that is
// found (cause.go) is reported with its help; otherwise the parser's message is put in
// other words. Where the cause has a repair, reading continues with the repaired text,
// and what is on its lines counts as a guess: no fix is offered for it.

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

const invalidYAML = "Invalid YAML in frontmatter: "

// SyntaxError is invalid YAML as the parser reports it.
type SyntaxError struct {
	Message      string
	Line, Column int       // from 1; 0 if unknown
	context      yaml.Mark // start of what the parser was reading
}

// Error returns the parser's message.
func (e *SyntaxError) Error() string { return e.Message }

// ParseYAML returns the root node of a YAML document, nil for an empty one, or
// what is wrong with it.
func ParseYAML(text []byte) (root *yaml.Node, bad *SyntaxError) {
	var doc yaml.Node
	err := yaml.Load(text, &doc)
	switch {
	case err == nil && len(doc.Content) > 0:
		return doc.Content[0], nil
	case err == nil, strings.Contains(err.Error(), "no documents in stream"):
		return nil, nil
	}
	bad = &SyntaxError{Message: strings.TrimSpace(err.Error())}
	if load, ok := errors.AsType[*yaml.LoadError](err); ok {
		mark := load.Mark
		if mark.Line == 0 {
			mark = load.ContextMark
		}
		bad.Message = cmp.Or(load.Message, bad.Message)
		bad.Line, bad.Column, bad.context = mark.Line, mark.Column, load.ContextMark
	}
	return nil, bad
}

// explain reports invalid YAML with its cause. If the cause is known and its
// repair gets the parser further, it returns the repaired text.
func (d *Content) explain(text []byte, bad *SyntaxError) (repaired []byte, ok bool) {
	x, file, shift := IndexLines(text), d.Lines(), d.block.Line-1
	c, repaired, found := findCause(x, bad)
	if !found {
		var span Span
		line, column := bad.Line, bad.Column
		if strings.Contains(bad.Message, lacksColon) && bad.context.Line > 0 {
			line, column = bad.context.Line, bad.context.Column // the line itself; the parser reports the next one
		}
		if line > 0 {
			span = file.Span(line+shift, column, column+1)
		}
		message, help := describeParserError(bad.Message)
		d.fault("frontmatter-syntax", span, invalidYAML+message, help)
		return nil, false
	}
	from, to := x.At(c.from), x.At(c.to)
	if to.Line > from.Line {
		to.Column = 0
	}
	first, last := x.At(c.repair.Start).Line, x.At(c.repair.End).Line
	var fix *Fix
	if c.fix != "" {
		// The lines are those of the file unless an earlier repair changed them.
		inFile := func(offset, line int) int { return offset - x.Starts[line-1] + file.Starts[line+shift-1] }
		fix = change(c.fix, inFile(c.repair.Start, first), inFile(c.repair.End, last), d.separators.show(c.repair.Text))
	}
	for n := first; n <= last && repaired != nil; n++ {
		if d.Guessed(n + shift) {
			fix = nil
		}
		d.guessed.add(n + shift)
	}
	d.faultFix("frontmatter-syntax", file.Span(from.Line+shift, from.Column, to.Column), fix, invalidYAML+c.message, d.separators.show(c.help))
	return repaired, repaired != nil
}

// lineSet is a set of lines of the file.
type lineSet map[int]bool

func (s *lineSet) add(line int) {
	if *s == nil {
		*s = lineSet{}
	}
	(*s)[line] = true
}

// Guessed reports whether a line has invalid YAML, so that its content is a
// guess.
func (d *Content) Guessed(line int) bool { return d.guessed[line] }

// maxTried limits the lines that are tried; each try parses the text again.
const maxTried = 40

// findCause tries the lines upwards from the parser's mark, because the parser
// often reports a later line. It returns the first cause whose repair gets the
// parser further, with the repaired text, or a cause without a certain repair.
func findCause(x Lines, bad *SyntaxError) (c cause, repaired []byte, ok bool) {
	noticed := max(bad.Line, 1)
	tried := -1 // start of the last value tried
	for n := min(noticed+1, len(x.Starts)); n >= max(noticed+1-maxTried, 1); n-- {
		var causes []cause
		if c, ok := tabIndent(x, n); ok {
			causes = append(causes, c)
		}
		if c, ok := colonCause(x, n); ok {
			causes = append(causes, c)
		}
		if v, ok := valueAt(x, n); ok && v.start != tried {
			tried = v.start
			if c, ok := v.cause(); ok {
				causes = append(causes, c)
			}
		}
		if c, ok := wrongIndent(x, n); ok {
			causes = append(causes, c)
		}
		for _, c := range causes {
			if c.repair == (Edit{}) {
				if n <= noticed {
					return c, nil, true
				}
				continue
			}
			repaired = slices.Concat(x.Source[:c.repair.Start], []byte(c.repair.Text), x.Source[c.repair.End:])
			if parsesFurther(repaired, bad) {
				return c, repaired, true
			}
		}
	}
	return cause{}, nil, false
}

// parsesFurther reports whether the parser now accepts the text or fails on a
// later line. If it had searched to the end for a quote or bracket, any other
// error is progress.
func parsesFurther(text []byte, before *SyntaxError) bool {
	_, after := ParseYAML(text)
	return after == nil || after.Line > before.Line ||
		strings.Contains(before.Message, "end of stream") && after.Message != before.Message
}

const lacksColon = "could not find expected ':'"

// parserMessages maps parts of the parser's error messages to messages about the
// file. The first match counts.
var parserMessages = []struct{ part, message, help string }{
	{"expected ',' or ']'", "a list in brackets is not closed, or lacks a comma between two items", "close it with ], or quote the whole value"},
	{"expected ',' or '}'", "a mapping in braces is not closed, or lacks a comma between two keys", "close it with }, or quote the whole value"},
	{"mapping values are not allowed", `": " is not allowed here`, "quote the value that holds it, or write the field on a line of its own"},
	{"block sequence entries are not allowed", "a list item is not allowed here", "write the list on the lines below its field, every item indented alike"},
	{"expected '-' indicator", "this line is in a list, but is not an item of it", "start it with a dash, or indent it like the fields around the list"},
	{"expected key", "this line is neither a field nor part of one", "indent it like the lines that it belongs to, or quote the value above it"},
	{lacksColon, "this line is not a field: it has no colon followed by a space", "write it as key: value, or indent it if it continues the line above"},
	{"cannot start any token", "this character cannot start a value", "quote the value"},
	{"unknown anchor", "a value that starts with * refers to an anchor that does not exist", "quote the value"},
	{"hexadecimal number", "unknown escape after a backslash in a double-quoted value", "use single quotes"},
	{"unknown escape", "unknown escape after a backslash in a double-quoted value", "use single quotes"},
	{"expected <document start>", "the fields end before this line", "write every field as key: value at the start of its line"},
}

// describeParserError returns the message and help for a parser error, or the parser's own
// text if none is known.
func describeParserError(text string) (message, help string) {
	for _, w := range parserMessages {
		if strings.Contains(text, w.part) {
			return w.message, w.help
		}
	}
	return text, "quote values that hold special characters"
}

// Forbidden returns the offset and value of the first character that YAML does
// not allow (YAML 1.2, section 5.1), although some parsers accept it. The
// offset is -1 if there is none.
func Forbidden(text string) (offset int, r rune) {
	for i, r := range text {
		if isForbidden(r) {
			return i, r
		}
	}
	return -1, 0
}

func isForbidden(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\t' && r != '\n' && r != '\r'
	case r < 0xA0:
		return r >= 0x7F && r != 0x85
	}
	return r == 0xFFFE || r == 0xFFFF
}
