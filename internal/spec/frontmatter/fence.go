package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"skills/internal/printable"
)

// Scan reads what stands around the frontmatter: encoding, fences, body. The
// YAML between the fences is left to Decode.
//
// A fence is a line that is exactly ---, trailing white space allowed: the
// specification shows no other, and clients split over every variant. A line
// that is plainly meant as one and can be made one is a fault, and what stands
// behind it is read on, so that one run shows all there is to mend.
func Scan(src []byte) Content {
	d := Content{Source: src}
	d.scan()
	return d
}

func (d *Content) scan() {
	text, ok := scanEncoding(d)
	if !ok {
		return
	}
	x := d.Lines()
	open := 1
	if first := bytes.TrimPrefix(x.Text(1), d.Source[:len(d.Source)-len(text)]); !isFence(first) {
		if open = d.missingFence(x, first); open == 0 {
			return
		}
	}
	for n := open + 1; n <= len(x.Starts); n++ {
		if isFence(x.Text(n)) {
			d.closeBlock(x, open, n)
			d.near, _ = d.nearFence(x, open, n-1)
			return
		}
	}
	d.unclosedFence(x, open)
	return
}

// closeBlock makes what stands between two lines the frontmatter.
func (d *Content) closeBlock(x Lines, open, n int) {
	body := len(d.Source)
	if n < len(x.Starts) {
		body = x.Starts[n]
	}
	d.block = Block{Start: x.Starts[open], End: x.Starts[n-1], Line: open + 1, BodyStart: body}
	d.Body = string(d.Source[body:])
	d.BodyLine = n + 1
}

// opening is the place of the opening fence, where findings about the whole
// frontmatter point.
func (d *Content) Opening() Span {
	x, n := d.Lines(), max(d.block.Line-1, 1)
	start := x.Line(n).Start.Column
	return x.Span(n, start, start+3)
}

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t")) == 0
}

const wantFence = "SKILL.md must start with YAML frontmatter (---)"

// dashes are what editors make of hyphens, and hyphens.
const dashes = "-‐‑‒–—―−"

// missingFence names why the first line is no fence. It returns the line that
// becomes the fence by a sure fix, 0 where there is none.
func (d *Content) missingFence(x Lines, first []byte) (open int) {
	report := func(span Span, fix *Fix, why, help string) {
		d.faultFix("frontmatter-missing", span, fix, wantFence+why, help)
		if open == 0 && fix != nil {
			open = 1
		}
	}
	text := strings.TrimRight(string(first), " \t")
	bare := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || printable.Invisible(r) })
	switch {
	case len(bytes.TrimSpace(d.Source)) == 0:
		report(Span{}, nil, "; the file is empty", "start it with ---, name, description and another ---")
	case strings.HasPrefix(bare, "---") && bare != text:
		report(x.Span(1, 1, len([]rune(text))-len([]rune(bare))+1), d.openingFix(x, 1, bare),
			fmt.Sprintf("; the fence is indented or preceded by %s", printable.Rune([]rune(text)[0])),
			"write --- at the very start of the line")
	case bare != "" && strings.Trim(bare, "-") == "":
		report(x.Line(1), d.openingFix(x, 1, bare), fmt.Sprintf("; the first line has %d dashes", len(bare)), "write exactly three dashes: ---")
	case strings.HasPrefix(bare, "---"):
		report(x.Line(1), nil, fmt.Sprintf("; text follows the dashes: %s", printable.Quote(bare)), "put --- on a line of its own")
	case strings.HasPrefix(bare, "+++"):
		report(x.Line(1), nil, "; this is TOML frontmatter (+++)", "write the fields as YAML between two lines ---")
	case strings.HasPrefix(bare, "{") || strings.HasPrefix(bare, ";;;"):
		report(x.Line(1), nil, "; this looks like JSON frontmatter", "write the fields as YAML between two lines ---")
	case isLinkText(d.Source):
		report(x.Line(1), nil, "; it holds only a path: a symbolic link that git wrote as a text file",
			"turn core.symlinks on and check the file out again, or put a copy of that file here")
	case (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")) && isFence(x.Text(2)):
		report(x.Line(1), nil, "; the frontmatter is inside a block of code ("+bare[:3]+")",
			fmt.Sprintf("delete this line and the %s that closes the block", bare[:3]))
	case bare != "" && strings.Trim(bare, dashes) == "":
		report(x.Line(1), d.openingFix(x, 1, bare), fmt.Sprintf("; %s is not a row of three hyphens", printable.Quote(bare)), "write three plain hyphens: ---")
	default:
		open = d.lateFence(x, report)
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
func (d *Content) lateFence(x Lines, report func(Span, *Fix, string, string)) (open int) {
	for n := 1; n <= min(len(x.Starts), 50); n++ {
		if !isFence(x.Text(n)) {
			continue
		}
		switch before := bytes.TrimPrefix(x.Source[:x.Starts[n-1]], []byte(byteOrderMark)); {
		case len(bytes.TrimSpace(before)) == 0:
			open = n
			report(x.Span(1, 1, 1), d.blankFix(x, n), fmt.Sprintf("; blank lines stand before the fence on line %d", n),
				"delete the lines before ---")
		case fieldsBefore(x, n):
			report(x.Line(1), nil, fmt.Sprintf("; the fields start here, and the --- on line %d closes them", n),
				"add a line --- before this one")
		default:
			report(x.Line(1), nil, fmt.Sprintf("; text stands before the fence on line %d", n),
				"move --- to the first line; comments belong below the frontmatter")
		}
		return open
	}
	help := "start the file with ---, name, description and another ---"
	if n := fieldLines(x); n > 0 {
		help = fmt.Sprintf("add a line --- before this one, and another after line %d", n)
	}
	report(x.Line(1), nil, "", help)
	if !bytes.HasPrefix(d.Source, []byte(byteOrderMark)) {
		d.Body = string(d.Source) // there is nothing else in it
	}
	return 0
}
