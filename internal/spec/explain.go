package spec

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// explain reports broken YAML by its cause. Where the cause is known and its
// repair makes the parser come further, the repaired text is returned.
func (d *Document) explain(text []byte, err error) (repaired []byte, ok bool) {
	mark := errorMark(err)
	x := indexLines(text)
	if mark.Line > 0 && hasOddBreaks(text) {
		at := x.fromParser(Pos{mark.Line, mark.Column})
		mark.Line, mark.Column = at.Line, at.Column
	}
	if c, found := findCause(x, mark, err); found {
		span := d.lines().span(c.line+d.block.Line-1, c.from, c.to)
		d.faultFix("frontmatter-syntax", span, d.lineFix(x, c), "Invalid YAML in frontmatter: "+c.message, c.help)
		for n := c.first; n <= c.last && c.repaired != nil; n++ {
			d.mend(n + d.block.Line - 1)
		}
		return c.repaired, c.repaired != nil
	}
	line := max(mark.Line, 1) + d.block.Line - 1
	span := d.lines().span(line, mark.Column, mark.Column+1)
	if mark.Line == 0 {
		span = Span{}
	}
	message, help := inWords(errorText(err))
	d.fault("frontmatter-syntax", span, "Invalid YAML in frontmatter: "+message, help)
	return nil, false
}

// mend notes that what is read of a line of the file is a guess.
func (d *Document) mend(line int) {
	if d.mended == nil {
		d.mended = map[int]bool{}
	}
	d.mended[line] = true
}

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
func forbiddenCharacter(x lineIndex) (cause, bool) {
	for n := 1; n <= len(x.starts); n++ {
		col := 0
		for _, r := range string(x.text(n)) {
			col++
			if r < 0x20 && r != '\t' || r == 0x7F || r >= 0x80 && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF {
				return cause{line: n, from: col, to: col + 1,
					message: fmt.Sprintf("control character %s", describeRune(r)), help: "delete it"}, true
			}
		}
	}
	return cause{}, false
}
