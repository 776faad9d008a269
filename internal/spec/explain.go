package spec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
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
	if c, found := findCause(x, mark); found {
		span := d.lines().span(c.line+d.block.Line-1, c.from, c.to)
		d.faultFix("frontmatter-syntax", span, d.lineFix(x, c), "Invalid YAML in frontmatter: "+c.message, c.help)
		if c.repaired != nil {
			d.mend(c.line + d.block.Line - 1)
		}
		return c.repaired, c.repaired != nil
	}
	line := max(mark.Line, 1) + d.block.Line - 1
	span := d.lines().span(line, mark.Column, mark.Column+1)
	if mark.Line == 0 {
		span = Span{}
	}
	d.fault("frontmatter-syntax", span, "Invalid YAML in frontmatter: "+errorText(err), "quote values that hold special characters")
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

// cause is why a line of YAML cannot be read.
type cause struct {
	line, from, to int // of the YAML text, from 1, in code points
	message, help  string
	repaired       []byte // the whole text mended, nil where that needs a person
	mended         []byte // the line that repaired holds instead
	fix            string // what --fix does with the line, "" where the repair is but a guess
	sure           bool   // a fault whether or not mending it alone helps
	seenAfter      int    // how many lines later the parser notices, where that is certain
}

// Explaining parses again for every line it tries, so it is kept to texts and
// stretches of a size that people write.
const (
	maxExplained = 64 << 10
	maxTried     = 40
)

// findCause tries the lines from the parser's mark upwards: it often notices
// only on a later line.
func findCause(x lineIndex, mark yaml.Mark) (cause, bool) {
	if len(x.src) > maxExplained {
		return cause{}, false
	}
	last := min(max(mark.Line, 1)+1, len(x.starts))
	for n := last; n >= max(last-maxTried, 1); n-- {
		line, above := string(x.text(n)), lineAbove(x, n)
		for _, check := range slices.Concat([]func(string) (cause, bool){func(line string) (cause, bool) { return unevenIndent(line, above) }}, causes) {
			c, ok := check(line)
			if !ok {
				continue
			}
			c.line = n
			if c.repaired != nil {
				c.mended = c.repaired
				c.repaired = replaceLine(x, n, c.mended)
				if !comesFurther(c.repaired, mark) {
					if at := n + c.seenAfter; !c.sure || at != mark.Line {
						continue
					}
					c.repaired = nil
				}
			} else if n > max(mark.Line, 1) {
				continue
			}
			return c, true
		}
	}
	return cause{}, false
}

// lineAbove returns the last line before n that is not blank.
func lineAbove(x lineIndex, n int) string {
	for n--; n > 0; n-- {
		if line := x.text(n); len(bytes.TrimSpace(line)) > 0 {
			return string(line)
		}
	}
	return ""
}

func replaceLine(x lineIndex, n int, line []byte) []byte {
	old := x.text(n)
	start := x.starts[n-1]
	return bytes.Join([][]byte{x.src[:start], line, x.src[start+len(old):]}, nil)
}

// comesFurther reports whether the parser now accepts the text or stumbles on
// a later line only.
func comesFurther(text []byte, mark yaml.Mark) bool {
	var node yaml.Node
	err := yaml.Load(text, &node)
	return err == nil || errorMark(err).Line > mark.Line
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
