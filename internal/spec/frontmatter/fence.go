package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"skills/internal/printable"
)

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t")) == 0
}

// almostFence says why a line that was meant as a fence is none, "" for any
// other line.
func almostFence(line string) (why, help string) {
	switch bare := strings.TrimLeftFunc(line, unicode.IsSpace); {
	case bare == "---":
		return "the fence on this line is indented", "write --- at the very start of the line"
	case line == "...":
		return "... ends a YAML document, not the frontmatter", "write --- instead of ..."
	case (len(line) == 2 || len(line) > 3) && strings.Trim(line, "-") == "":
		return fmt.Sprintf("this line has %d dashes", len(line)), "write exactly three dashes: ---"
	case strings.HasPrefix(line, "---") && line != "---":
		return "text follows the dashes: " + printable.Quote(line), "put --- on a line of its own"
	case line != "" && strings.Trim(line, dashes[1:]) == "":
		return printable.Quote(line) + " is not a row of three hyphens", "write three plain hyphens: ---"
	}
	return "", ""
}

// looksLikeField reports whether a line may belong to a frontmatter: a key, a
// continuation or a comment.
func looksLikeField(line string) bool {
	if line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
		return line != ""
	}
	key, _, found := strings.Cut(line, ":")
	return found && !strings.HasPrefix(line, "#") && !strings.ContainsAny(key, " \t")
}

// fieldFollows reports whether the next line with content below line n is a
// usual field. Where none is, that line may be a rule and no fence.
func fieldFollows(x Lines, n int) bool {
	for n++; n <= len(x.Starts); n++ {
		if line := string(x.Text(n)); !isBlankLine(line) && line[0] != '#' {
			e, ok := splitEntry(line)
			return ok && usualField(e.key)
		}
	}
	return false
}

// bodyInBlock finds the body inside a block that cannot be read: the closing
// fence is missing, and a rule further down was taken for it. A body starts
// with a heading or a line of prose below a blank line; before it are only
// fields. from is the line of the YAML text where the parser stumbled.
func (d *Content) bodyInBlock(x Lines, from int) (Fault, bool) {
	last, heading, blank := 0, 0, false
	for n := 1; n <= len(x.Starts); n++ {
		line := string(x.Text(n))
		switch {
		case isBlankLine(line):
			blank = true
			continue
		case line[0] == '#':
			if blank && heading == 0 && strings.HasPrefix(strings.TrimLeft(line, "#"), " ") {
				heading = n
			}
		case looksLikeField(line), strings.HasPrefix(line, "- ") && !blank:
			last, heading = n, 0
		case last == 0 || !blank && heading == 0 || from <= last || heading == 0 && fieldBelow(x, n):
			return Fault{}, false
		default:
			at := n
			if heading > 0 {
				at = heading
			}
			shift := d.block.Line - 1
			return Fault{Rule: "frontmatter-unclosed", Span: d.Lines().Line(at + shift),
				Message: fmt.Sprintf("%s; the body starts here, before the --- on line %d", unclosed, d.BodyLine-1),
				Help:    fmt.Sprintf("add a line --- after line %d", last+shift)}, true
		}
		blank = blank && line[0] == '#'
	}
	return Fault{}, false
}

// fieldBelow reports whether a field that clients read follows line n before
// any heading or block of code, and not above it: a value goes on there.
func fieldBelow(x Lines, n int) bool {
	above := map[string]bool{}
	for i := 1; i <= len(x.Starts); i++ {
		line := string(x.Text(i))
		e, ok := splitEntry(line)
		switch {
		case i >= n && (strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "##") || strings.HasPrefix(line, "```")):
			return false
		case !ok || e.indent != "":
		case i < n:
			above[e.key] = true
		case readField(e.key):
			return !above[e.key]
		}
	}
	return false
}

// textOfLine returns where line n starts, a byte order mark left out, and where
// its text ends, white space at the end left out.
func (d *Content) textOfLine(x Lines, n int) (start, end int) {
	start = x.Starts[n-1]
	text := string(x.Text(n))
	end = start + len(strings.TrimRight(text, " \t"))
	if n == 1 && strings.HasPrefix(text, byteOrderMark) {
		start += len(byteOrderMark)
	}
	return start, max(start, end)
}

// fenceFix makes the line n a fence, where it is nothing but dashes behind
// what cannot be seen. Fewer than three dashes may be something else.
func (d *Content) fenceFix(x Lines, n int, bare string) *Fix {
	if strings.Trim(bare, dashes) != "" || strings.Trim(bare, "-") == "" && len(bare) < 3 {
		return nil
	}
	start, end := d.textOfLine(x, n)
	return change(fmt.Sprintf("write --- on line %d", n), start, end, "---")
}
