package frontmatter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"skills/internal/printable"
)

const invalidYAML = "Invalid YAML in frontmatter: "

// explain reports broken YAML by its cause. Where the cause is known and its
// repair makes the parser come further, the repaired text is returned.
func (d *Content) explain(text []byte, err error) (repaired []byte, ok bool) {
	mark := errorMark(err)
	x := IndexLines(text)
	shift := d.block.Line - 1
	if c, found := findCause(x, mark, err); found {
		d.faultFix("frontmatter-syntax", d.Lines().Span(c.line+shift, c.from, c.to), d.lineFix(x, c), invalidYAML+c.message, c.help)
		for n := c.first; n <= c.last && c.repaired != nil; n++ {
			d.guess(n + shift)
		}
		return c.repaired, c.repaired != nil
	}
	var span Span
	if mark.Line > 0 {
		span = d.Lines().Span(mark.Line+shift, mark.Column, mark.Column+1)
	}
	message, help := inWords(errorText(err))
	d.fault("frontmatter-syntax", span, invalidYAML+message, help)
	return nil, false
}

// lineFix writes the repaired lines of a cause, nil where the repair does not
// bring the parser further or is a guess, or where one of the lines was repaired
// before. x indexes the YAML text, perhaps with repairs of other lines in it.
func (d *Content) lineFix(x Lines, c cause) *Fix {
	if c.repair == nil || c.fix == "" {
		return nil
	}
	shift := d.block.Line - 1
	for n := c.first; n <= c.last; n++ {
		if d.guessed[n+shift] {
			return nil
		}
	}
	file := d.Lines()
	end := file.Starts[c.last+shift-1] + len(file.Text(c.last+shift))
	return change(c.fix, file.Starts[c.first+shift-1], end, string(c.repair))
}

// guess notes that what is read of a line of the file is a guess.
func (d *Content) guess(line int) {
	if d.guessed == nil {
		d.guessed = map[int]bool{}
	}
	d.guessed[line] = true
}

// Guessed reports whether what was read of a line of the file is a guess: its
// YAML is broken.
func (d *Content) Guessed(line int) bool { return d.guessed[line] }

// Explaining parses again for every line it tries, so it is kept to texts and
// stretches of a size that people write.
const (
	maxExplained = 64 << 10
	maxTried     = 40
)

// findCause tries the lines from the parser's mark upwards: it often notices
// only on a later line.
func findCause(x Lines, mark yaml.Mark, err error) (cause, bool) {
	if len(x.Source) > maxExplained {
		return cause{}, false
	}
	last := min(max(mark.Line, 1)+1, len(x.Starts))
	tried := 0 // where the value starts that was looked at last
	for n := last; n >= max(last-maxTried, 1); n-- {
		for _, c := range causesAt(x, n, &tried) {
			if c.repair == nil {
				if n <= max(mark.Line, 1) {
					return c, true
				}
				continue
			}
			end := x.Starts[c.last-1] + len(x.Text(c.last))
			c.repaired = slices.Concat(x.Source[:x.Starts[c.first-1]], c.repair, x.Source[end:])
			if comesFurther(c.repaired, mark, err) {
				return c, true
			}
		}
	}
	// Nothing helps by itself, but the line may be seen to be wrong.
	for _, check := range []lineCheck{unevenIndent, tabIndent, strayIndent} {
		if c, ok := check(x, mark.Line); ok && mark.Line > 0 {
			c.repair = nil
			return c, true
		}
	}
	return cause{}, false
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

func errorMark(err error) yaml.Mark {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return yaml.Mark{}
	}
	if le.Mark.Line == 0 {
		return le.ContextMark
	}
	return le.Mark
}

func errorText(err error) string {
	var le *yaml.LoadError
	if errors.As(err, &le) && le.Message != "" {
		return le.Message
	}
	return strings.TrimSpace(err.Error())
}

// parserWords are the complaints of the YAML parser that people meet, by a part
// of them, in words about what they see. The first that fits counts.
var parserWords = []struct{ part, message, help string }{
	{"end of stream", "a quote or bracket is never closed", "close it, or quote the whole value"},
	{"expected ',' or ']'", "a list in brackets is not closed, or lacks a comma between two items", "close it with ], or quote the whole value"},
	{"expected ',' or '}'", "a mapping in braces is not closed, or lacks a comma between two keys", "close it with }, or quote the whole value"},
	{"mapping values are not allowed", `": " is not allowed here`, "quote the value that holds it, or write the field on a line of its own"},
	{"block sequence entries are not allowed", "a list item is not allowed here", "write the list on the lines below its field, every item indented alike"},
	{"expected '-' indicator", "this line is in a list, but is not an item of it", "start it with a dash, or indent it like the fields around the list"},
	{"expected key", "this line is neither a field nor part of one", "indent it like the lines that it belongs to, or quote the value above it"},
	{"could not find expected ':'", "this line is not a field: it has no colon", "write it as key: value, or indent it if it continues the line above"},
	{"cannot start any token", "this character cannot start a value", "quote the value"},
	{"unknown anchor", "a value that starts with * refers to an anchor that does not exist", "quote the value"},
	{"hexadecimal number", "unknown escape after a backslash in a double-quoted value", "use single quotes"},
	{"unknown escape", "unknown escape after a backslash in a double-quoted value", "use single quotes"},
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

// forbiddenCharacter reports what YAML allows nowhere (YAML 1.2, section 5.1),
// though some parsers let it pass.
func (d *Content) forbiddenCharacter(text []byte) bool {
	for i, r := range string(text) {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0x7F || r >= 0x80 && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF {
			d.fault("frontmatter-syntax", d.Lines().Place(d.block.Start+i), fmt.Sprintf(invalidYAML+"control character %s", printable.Rune(r)), "delete it")
			return true
		}
	}
	return false
}
