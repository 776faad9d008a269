package frontmatter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"skills/internal/printable"
)

// explain reports broken YAML by its cause. Where the cause is known and its
// repair makes the parser come further, the repaired text is returned.
func (d *Content) explain(text []byte, err error) (repaired []byte, ok bool) {
	mark := errorMark(err)
	x := IndexLines(text)
	if mark.Line > 0 && hasOddBreaks(text) {
		at := x.fromParser(Pos{mark.Line, mark.Column})
		mark.Line, mark.Column = at.Line, at.Column
	}
	if c, found := findCause(x, mark, err); found {
		span := d.spanBeside(x, cmp.Or(c.told, c.line), c.from, c.to)
		d.faultFix("frontmatter-syntax", span, d.lineFix(x, c), "Invalid YAML in frontmatter: "+c.message, c.help)
		for n := c.first; n <= c.last && c.repaired != nil; n++ {
			d.guess(n + d.block.Line - 1)
		}
		return c.repaired, c.repaired != nil
	}
	span := d.spanBeside(x, max(mark.Line, 1), mark.Column, mark.Column+1)
	if mark.Line == 0 {
		span = Span{}
	}
	message, help := inWords(errorText(err))
	d.fault("frontmatter-syntax", span, "Invalid YAML in frontmatter: "+message, help)
	return nil, false
}

// spanBeside is the place in the file of columns on a line of the YAML text, in
// which tabs before a line's text may have been replaced by spaces; to 0 means
// the line's end.
func (d *Content) spanBeside(x Lines, line, from, to int) Span {
	n := line + d.block.Line - 1
	text, file := x.Text(line), d.Lines().Text(n)
	if from = besideTabs(text, file, from); to > 0 {
		to = besideTabs(text, file, to)
	}
	return d.Lines().Span(n, from, to)
}

// besideTabs is the column in a line of the file of what stands at a column of
// the text that it was mended to.
func besideTabs(text, file []byte, column int) int {
	indent := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
	was, is := indent(file), indent(text)
	switch {
	case bytes.IndexByte(file[:was], '\t') < 0:
		return column
	case column > is:
		return column - is + was
	}
	return min(column, was+1)
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

func errorMark(err error) yaml.Mark {
	var le *yaml.LoadError
	if errors.As(err, &le) {
		if le.Mark.Line == 0 {
			return le.ContextMark
		}
		return le.Mark
	}
	return yaml.Mark{}
}

func errorText(err error) string {
	var le *yaml.LoadError
	if errors.As(err, &le) && le.Message != "" {
		return le.Message
	}
	return strings.TrimSpace(err.Error())
}

// forbiddenCharacter finds what YAML allows nowhere (YAML 1.2, section 5.1),
// though some parsers let it pass.
func forbiddenCharacter(x Lines) (cause, bool) {
	for n := 1; n <= len(x.Starts); n++ {
		col := 0
		for _, r := range string(x.Text(n)) {
			col++
			if r < 0x20 && r != '\t' || r == 0x7F || r >= 0x80 && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF {
				return cause{line: n, from: col, to: col + 1,
					message: fmt.Sprintf("control character %s", printable.Rune(r)), help: "delete it"}, true
			}
		}
	}
	return cause{}, false
}
