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
