package frontmatter

import (
	"fmt"
	"strings"
)

// change is the fix that replaces one stretch of the SKILL.md.
func change(description string, start, end int, text string) *Fix {
	return &Fix{Description: description, Edits: []Edit{{Start: start, End: end, Text: text}}}
}

// faultFix adds a fault with the change that mends it; fix may be nil.
func (d *Content) faultFix(rule string, span Span, fix *Fix, message, help string) {
	n := len(d.Faults)
	d.fault(rule, span, message, help)
	if len(d.Faults) > n {
		d.Faults[n].Fix = fix
	}
}

// bodyOfLine returns where line n starts, a byte order mark left out, and where
// its text ends, white space at the end left out.
func (d *Content) bodyOfLine(x Lines, n int) (start, end int) {
	start = x.Starts[n-1]
	text := string(x.Text(n))
	end = start + len(strings.TrimRight(text, " \t"))
	if n == 1 && strings.HasPrefix(text, byteOrderMark) {
		start += len(byteOrderMark)
	}
	return start, max(start, end)
}

// openingFix makes the line n the opening fence. Where no field follows it, the
// line may be a rule.
func (d *Content) openingFix(x Lines, n int, bare string) *Fix {
	for next := n + 1; next <= len(x.Starts); next++ {
		line := string(x.Text(next))
		if isBlankLine(line) || line[0] == '#' {
			continue
		}
		if e, ok := splitEntry(line); !ok || !usualField(e.key) {
			return nil
		}
		return d.fenceFix(x, n, bare)
	}
	return nil
}

// fenceFix makes the line n a fence, where it is nothing but dashes behind
// what cannot be seen. Fewer than three dashes may be something else.
func (d *Content) fenceFix(x Lines, n int, bare string) *Fix {
	if strings.Trim(bare, dashes) != "" || strings.Trim(bare, "-") == "" && len(bare) < 3 {
		return nil
	}
	start, end := d.bodyOfLine(x, n)
	return change(fmt.Sprintf("write --- on line %d", n), start, end, "---")
}

// closingFix makes the line n the closing fence. Where a field follows it, the
// line may be no fence at all.
func (d *Content) closingFix(x Lines, n int, bare string) *Fix {
	for next := n + 1; next <= len(x.Starts); next++ {
		line := strings.TrimRight(string(x.Text(next)), " \t")
		if line == "" {
			continue
		}
		if looksLikeField(line) {
			return nil
		}
		break
	}
	return d.fenceFix(x, n, bare)
}

// blankFix deletes the blank lines before the fence on line n.
func (d *Content) blankFix(x Lines, n int) *Fix {
	start, _ := d.bodyOfLine(x, 1)
	return change("delete the blank lines before ---", start, x.Starts[n-1], "")
}

// lineFix writes the repaired lines of a cause, nil where a repair other than
// quotes does not bring the parser further, or is but a guess: where lines below continue the value it does not end on this one, or
// where one of the lines was repaired by a guess before. x indexes the YAML
// text, perhaps with repairs of other lines in it.
func (d *Content) lineFix(x Lines, c cause) *Fix {
	if c.mended == nil || c.fix == "" || c.repaired == nil && !c.quotes || !c.quotes && c.value == "" && continued(x, c.last) {
		return nil
	}
	shift := d.block.Line - 1
	for n := c.first; n <= c.last; n++ {
		if d.guessed[n+shift] {
			return nil
		}
	}
	file := d.Lines()
	last := file.Starts[c.last+shift-1] + len(file.Text(c.last+shift))
	return change(c.fix, file.Starts[c.first+shift-1], last, string(c.mended))
}

// continued reports whether the line after n is indented below it, without
// being a field or an item of its own.
func continued(x Lines, n int) bool {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
	line, next := string(x.Text(n)), string(x.Text(n+1))
	if e, ok := splitEntry(line); !ok || e.value == "" {
		return false
	}
	return strings.TrimSpace(next) != "" && indent(next) > indent(line)
}
