package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"skills/internal/printable"
)

const (
	byteOrderMark = "\xEF\xBB\xBF"
	missing       = "SKILL.md must start with YAML frontmatter (---)"
	unclosed      = "SKILL.md frontmatter not properly closed with ---"

	// dashes are what editors make of hyphens, and hyphens.
	dashes = "-‐‑‒–—―−"
)

// Scan reads what is around the frontmatter: encoding, fences, body. A fence is
// exactly ---, trailing white space allowed: clients split over every variant. One
// that is nearly that and can be repaired is a fault, and what follows is read on.
func Scan(src []byte) Content {
	d := Content{Source: src}
	text, ok := d.scanEncoding()
	if !ok {
		return d
	}
	x := d.Lines()
	open := 1
	if first := bytes.TrimPrefix(x.Text(1), src[:len(src)-len(text)]); !isFence(first) {
		if open = d.missingFence(x, first); open == 0 {
			return d
		}
	}
	for n := open + 1; n <= len(x.Starts); n++ {
		if isFence(x.Text(n)) {
			d.closeBlock(x, open, n)
			d.near, _ = d.nearFence(x, open, n-1)
			return d
		}
	}
	near, last := d.nearFence(x, open, len(x.Starts))
	if near != nil {
		d.nearlyClosed(x, open, near)
		return d
	}
	d.fault("frontmatter-unclosed", x.Line(open), unclosed, fmt.Sprintf("add a line --- after line %d", last))
	return d
}

// closeBlock makes what is between two lines the frontmatter.
func (d *Content) closeBlock(x Lines, open, n int) {
	body := len(d.Source)
	if n < len(x.Starts) {
		body = x.Starts[n]
	}
	d.block = Block{Start: x.Starts[open], End: x.Starts[n-1], Line: open + 1, BodyStart: body}
	d.Body = string(d.Source[body:])
	d.BodyLine = n + 1
}

// Opening is the place of the opening fence, where findings about the whole
// frontmatter point.
func (d *Content) Opening() Span {
	x, n := d.Lines(), max(d.block.Line-1, 1)
	start := x.Line(n).Start.Column
	return x.Span(n, start, start+3)
}

// missingFence reports why the first line is no fence. It returns the line that
// becomes the fence by a sure fix, 0 where there is none.
func (d *Content) missingFence(x Lines, first []byte) (open int) {
	text := strings.TrimRight(string(first), " \t")
	bare := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || printable.Invisible(r) })
	span, why, help, meant := x.Line(1), "", "write the fields as YAML between two lines ---", false
	switch {
	case len(bytes.TrimSpace(d.Source)) == 0:
		span, why, help = Span{}, "; the file is empty", "start it with ---, name, description and another ---"
	case strings.HasPrefix(bare, "---") && bare != text:
		span, meant = x.Span(1, 1, len([]rune(text))-len([]rune(bare))+1), true
		why = fmt.Sprintf("; the fence is indented or preceded by %s", printable.Rune([]rune(text)[0]))
		help = "write --- at the very start of the line"
	case bare != "" && strings.Trim(bare, "-") == "":
		why, help, meant = fmt.Sprintf("; the first line has %d dashes", len(bare)), "write exactly three dashes: ---", true
	case strings.HasPrefix(bare, "---"):
		why, help = "; text follows the dashes: "+printable.Quote(bare), "put --- on a line of its own"
	case strings.HasPrefix(bare, "+++"):
		why = "; this is TOML frontmatter (+++)"
	case strings.HasPrefix(bare, "{") || strings.HasPrefix(bare, ";;;"):
		why = "; this looks like JSON frontmatter"
	case isLinkText(d.Source):
		why = "; it holds only a path: a symbolic link that git wrote as a text file"
		help = "turn core.symlinks on and check the file out again, or put a copy of that file here"
	case (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")) && isFence(x.Text(2)):
		why = "; the frontmatter is inside a block of code (" + bare[:3] + ")"
		help = fmt.Sprintf("delete this line and the %s that closes the block", bare[:3])
	case bare != "" && strings.Trim(bare, dashes) == "":
		why, help, meant = fmt.Sprintf("; %s is not a row of three hyphens", printable.Quote(bare)), "write three plain hyphens: ---", true
	default:
		return d.lateFence(x)
	}
	var fix *Fix
	if meant && fieldFollows(x, 1) {
		fix = d.fenceFix(x, 1, bare)
	}
	d.faultFix("frontmatter-missing", span, fix, missing+why, help)
	if fix != nil {
		open = 1
	}
	return open
}

// isLinkText reports a file that is what git makes of a symbolic link where it
// writes none: its target, without a line break.
func isLinkText(src []byte) bool {
	return len(src) < 1000 && bytes.IndexByte(src, '/') >= 0 && bytes.HasSuffix(src, []byte(".md")) && !bytes.ContainsAny(src, " \t\r\n:")
}

// lateFence handles a first line that is no attempt at a fence: there may be
// one further down. It returns the line of one below nothing but blank lines,
// which a fix makes the first, or 0.
func (d *Content) lateFence(x Lines) (open int) {
	fields := fieldLines(x)
	for n := 1; n <= min(len(x.Starts), 50); n++ {
		if !isFence(x.Text(n)) {
			continue
		}
		before := bytes.TrimPrefix(x.Source[:x.Starts[n-1]], []byte(byteOrderMark))
		switch {
		case len(bytes.TrimSpace(before)) == 0:
			start, _ := d.textOfLine(x, 1)
			d.faultFix("frontmatter-missing", x.Span(1, 1, 1), change("delete the blank lines before ---", start, x.Starts[n-1], ""),
				fmt.Sprintf("%s; blank lines precede the fence on line %d", missing, n), "delete the lines before ---")
			return n
		case fields > 0:
			d.fault("frontmatter-missing", x.Line(1), fmt.Sprintf("%s; the fields start here, and the --- on line %d closes them", missing, n),
				"add a line --- before this one")
		default:
			d.fault("frontmatter-missing", x.Line(1), fmt.Sprintf("%s; text precedes the fence on line %d", missing, n),
				"move --- to the first line; comments belong below the frontmatter")
		}
		return 0
	}
	help := "start the file with ---, name, description and another ---"
	if fields > 0 {
		help = fmt.Sprintf("add a line --- before this one, and another after line %d", fields)
	}
	d.fault("frontmatter-missing", x.Line(1), missing, help)
	if !bytes.HasPrefix(d.Source, []byte(byteOrderMark)) {
		d.Body = string(d.Source) // there is nothing else in it
	}
	return 0
}

// fieldLines returns the last of the lines at the start of a file that are
// fields, 0 where the first is none.
func fieldLines(x Lines) int {
	last := 0
	for n := 1; n <= len(x.Starts); n++ {
		line := string(bytes.TrimPrefix(x.Text(n), []byte(byteOrderMark)))
		e, ok := splitEntry(line)
		switch {
		case n == 1 && (!ok || !usualField(e.key)):
			return 0
		case looksLikeField(line), strings.HasPrefix(line, "- "):
			last = n
		case !isBlankLine(line) && line[0] != '#':
			return last
		}
	}
	return last
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
			next := n + 1
			for isBlankLine(string(x.Text(next))) && next < len(x.Starts) {
				next++
			}
			// Where a field follows, the line may be no fence at all.
			if bare := strings.TrimLeftFunc(line, unicode.IsSpace); !looksLikeField(strings.TrimRight(string(x.Text(next)), " \t")) {
				near.Fix = d.fenceFix(x, n, bare)
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
