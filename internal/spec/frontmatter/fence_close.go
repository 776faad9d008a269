package frontmatter

import (
	"fmt"
	"strings"
	"unicode"

	"skills/internal/printable"
)

const unclosed = "SKILL.md frontmatter not properly closed with ---"

// unclosedFence names the line that was perhaps meant to close the block that
// is opened on line open.
func (d *Content) unclosedFence(x Lines, open int) {
	near, last := d.nearFence(x, open, len(x.Starts))
	if near != nil {
		d.nearlyClosed(x, open, near)
		return
	}
	d.fault("frontmatter-unclosed", x.Line(open), unclosed, fmt.Sprintf("add a line --- after line %d", last))
}

// nearlyClosed reports the line that is nearly the closing fence. Where a fix
// makes it one, the block ends there; closed is whether it does.
func (d *Content) nearlyClosed(x Lines, open int, near *Fault) (closed bool) {
	d.Faults = append(d.Faults, *near)
	d.near = nil
	if near.Fix != nil {
		d.closeBlock(x, open, near.Span.Start.Line)
	}
	return near.Fix != nil
}

// nearFence looks below the line open, down to the line end, for the first that
// is nearly a fence, as long as the lines look like fields: further down, a rule
// or a table is the body's own. last is the last line that looks like a field.
func (d *Content) nearFence(x Lines, open, end int) (near *Fault, last int) {
	last = open
	for n := open + 1; n <= end; n++ {
		line := strings.TrimRight(string(x.Text(n)), " \t")
		if why, help := almostFence(line); why != "" {
			near := &Fault{Rule: "frontmatter-unclosed", Span: x.Line(n), Message: unclosed + "; " + why, Help: help}
			if bare := strings.TrimLeftFunc(line, unicode.IsSpace); strings.Trim(bare, dashes) == "" {
				near.Fix = d.closingFix(x, n, bare)
			}
			return near, last
		}
		switch {
		case looksLikeField(line):
			last = n
		case line != "" && line[0] != '#':
			return nil, last
		}
	}
	return nil, last
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
	case line != "" && strings.Trim(line, "‐‑‒–—―−") == "":
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
