package spec

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// Block says where the frontmatter stands in the file.
type Block struct {
	Start, End int // byte offsets of the YAML text in Document.Source
	Line       int // line of the file on which the YAML text starts
	BodyStart  int // byte offset of what follows the closing fence's line
}

// Closed reports whether there is a frontmatter with both fences.
func (b Block) Closed() bool { return b.Line > 0 }

// Scan reads what stands around the frontmatter: encoding, fences, body. The
// YAML between the fences is left to Decode. path names the file in findings;
// dir is the name of its folder, or "".
//
// A fence is a line that is exactly ---, trailing white space allowed: the
// specification shows no other, and clients split over every variant.
func Scan(path, dir string, src []byte) *Document {
	d := &Document{Path: path, Dir: dir, Source: src}
	text, ok := scanEncoding(d)
	if !ok {
		return d
	}
	x := d.lines()
	first := bytes.TrimPrefix(x.text(1), src[:len(src)-len(text)])
	if !isFence(first) {
		d.missingFence(x, first)
		return d
	}
	for n := 2; n <= len(x.starts); n++ {
		if isFence(x.text(n)) {
			d.closeBlock(x, n)
			return d
		}
	}
	d.unclosedFence(x)
	return d
}

func (d *Document) closeBlock(x lineIndex, n int) {
	body := len(d.Source)
	if n < len(x.starts) {
		body = x.starts[n]
	}
	d.block = Block{Start: x.starts[1], End: x.starts[n-1], Line: 2, BodyStart: body}
	d.near, _ = d.nearFence(x, n-1)
	d.Body = string(d.Source[body:])
	d.BodyLine = n + 1
}

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t")) == 0
}

const wantFence = "SKILL.md must start with YAML frontmatter (---)"

// dashes are what editors make of hyphens, and hyphens.
const dashes = "-‐‑‒–—―−"

// missingFence names why the first line is no fence.
func (d *Document) missingFence(x lineIndex, first []byte) {
	report := func(span Span, fix *Fix, why, help string) {
		d.faultFix("frontmatter-missing", span, fix, wantFence+why, help)
	}
	text := strings.TrimRight(string(first), " \t")
	bare := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || isInvisible(r) })
	switch {
	case len(bytes.TrimSpace(d.Source)) == 0:
		report(Span{}, nil, "; the file is empty", "start it with ---, name, description and another ---")
	case strings.HasPrefix(bare, "---") && bare != text:
		report(x.span(1, 1, len([]rune(text))-len([]rune(bare))+1), d.fenceFix(x, 1, bare),
			fmt.Sprintf("; the fence is indented or preceded by %s", describeRune([]rune(text)[0])),
			"write --- at the very start of the line")
	case bare != "" && strings.Trim(bare, "-") == "":
		report(x.line(1), d.fenceFix(x, 1, bare), fmt.Sprintf("; the first line has %d dashes", len(bare)), "write exactly three dashes: ---")
	case strings.HasPrefix(bare, "---"):
		report(x.line(1), nil, fmt.Sprintf("; text follows the dashes: %s", quote(bare)), "put --- on a line of its own")
	case strings.HasPrefix(bare, "+++"):
		report(x.line(1), nil, "; this is TOML frontmatter (+++)", "write the fields as YAML between two lines ---")
	case strings.HasPrefix(bare, "{") || strings.HasPrefix(bare, ";;;"):
		report(x.line(1), nil, "; this looks like JSON frontmatter", "write the fields as YAML between two lines ---")
	case bare != "" && strings.Trim(bare, dashes) == "":
		report(x.line(1), d.fenceFix(x, 1, bare), fmt.Sprintf("; %s is not a row of three hyphens", quote(bare)), "write three plain hyphens: ---")
	default:
		d.lateFence(x, report)
	}
}

// lateFence handles a first line that is no attempt at a fence: there may be
// one further down.
func (d *Document) lateFence(x lineIndex, report func(Span, *Fix, string, string)) {
	for n := 1; n <= min(len(x.starts), 50); n++ {
		if !isFence(x.text(n)) {
			continue
		}
		switch before := x.src[:x.starts[n-1]]; {
		case len(bytes.TrimSpace(before)) == 0:
			report(x.span(1, 1, 1), d.blankFix(x, n), fmt.Sprintf("; blank lines stand before the fence on line %d", n),
				"delete the lines before ---")
		case fieldsBefore(x, n):
			report(x.line(1), nil, fmt.Sprintf("; the fields start here, and the --- on line %d closes them", n),
				"add a line --- before this one")
		default:
			report(x.line(1), nil, fmt.Sprintf("; text stands before the fence on line %d", n),
				"move --- to the first line; comments belong below the frontmatter")
		}
		return
	}
	help := "start the file with ---, name, description and another ---"
	if n := fieldLines(x); n > 0 {
		help = fmt.Sprintf("add a line --- before this one, and another after line %d", n)
	}
	report(x.line(1), nil, "", help)
	if !bytes.HasPrefix(d.Source, []byte(byteOrderMark)) {
		d.Body = string(d.Source) // there is nothing else in it
	}
}

const unclosed = "SKILL.md frontmatter not properly closed with ---"

// unclosedFence names the line that was perhaps meant to close the block.
func (d *Document) unclosedFence(x lineIndex) {
	near, last := d.nearFence(x, len(x.starts))
	if near != nil {
		d.Faults = append(d.Faults, *near)
		return
	}
	d.fault("frontmatter-unclosed", x.line(1), unclosed, fmt.Sprintf("add a line --- after line %d", last))
}

// nearFence looks among lines 2 to end for the first that is nearly a fence, as
// long as the lines look like fields: further down, a rule or a table is the
// body's own. last is the last line that looks like a field.
func (d *Document) nearFence(x lineIndex, end int) (near *Fault, last int) {
	last = 1
	for n := 2; n <= end; n++ {
		line := strings.TrimRight(string(x.text(n)), " \t")
		if why, help := almostFence(line); why != "" {
			near := &Fault{Rule: "frontmatter-unclosed", Span: x.line(n), Message: unclosed + "; " + why, Help: help}
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
	case len(line) > 3 && strings.Trim(line, "-") == "":
		return fmt.Sprintf("this line has %d dashes", len(line)), "write exactly three dashes: ---"
	case strings.HasPrefix(line, "---") && line != "---":
		return "text follows the dashes: " + quote(line), "put --- on a line of its own"
	case line != "" && strings.Trim(line, "‐‑‒–—―−") == "":
		return quote(line) + " is not a row of three hyphens", "write three plain hyphens: ---"
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
