package frontmatter

// Frontmatter is what is between two fences at the start of a file. Clients disagree on
// what a fence may look like, so a fence is exactly three hyphens and white space. What
// resembles one is a fault that says what is wrong with it. Where a fix is certain, the
// file is read as it will be after the fix.

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
	"unsafe"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

const (
	byteOrderMark = "\xEF\xBB\xBF"
	missing       = "SKILL.md must start with YAML frontmatter (---)"
	unclosed      = "SKILL.md frontmatter not properly closed with ---"

	// dashes are characters that editors substitute for hyphens, and invisible
	// are those that may precede them; both are used in character classes.
	dashes    = "‐‑‒–—―−"
	invisible = `\s\x{A0}\x{AD}\x{200B}-\x{200F}\x{2060}\x{3000}\x{FEFF}`

	maxSearched = 50 // lines searched for the opening fence
)

// mistake is a text found instead of an expected fence.
type mistake struct {
	pattern   func() *regexp.Regexp
	why, help string
}

// openingMistakes match files that do not start with frontmatter, fenceMistakes
// lines that are meant as a fence. The first match counts.
var (
	openingMistakes = []mistake{
		{lazyregexp.New(`^\s*$`), "the file is empty", "start it with ---, name, description and another ---"},
		{lazyregexp.New(`^\+\+\+`), "this is TOML frontmatter (+++)", "write the fields as YAML between two lines ---"},
		{lazyregexp.New(`^(?:\{|;;;)`), "this looks like JSON frontmatter", "write the fields as YAML between two lines ---"},
		{lazyregexp.New("^(?:```|~~~).*\\s---\\s"), "the frontmatter is inside a code block", "delete the two lines of the code block around it"},
		{lazyregexp.New(`^[^\s:]*/[^\s:]*\.md$`), "it holds only a path: a symbolic link that git wrote as a text file",
			"turn core.symlinks on and check the file out again, or put a copy of that file here"},
	}
	fenceMistakes = []mistake{
		{lazyregexp.New(`^[` + invisible + `]+---+$`), "the fence is indented or preceded by invisible characters", "write --- at the very start of the line"},
		{lazyregexp.New(`^\.\.\.$`), "... ends a YAML document, not the frontmatter", "write --- instead of ..."},
		{lazyregexp.New(`^(?:--|----+)$`), "the fence does not have three dashes", "write exactly three dashes: ---"},
		{lazyregexp.New(`^---.`), "text follows the dashes", "put --- on a line of its own"},
		{lazyregexp.New(`^[` + dashes + `]+$`), "the dashes are not hyphens", "write three plain hyphens: ---"},
	}
)

// findMistake returns the known mistake in a text, or nil.
func findMistake(mistakes []mistake, text string) *mistake {
	for i := range mistakes {
		if mistakes[i].pattern().MatchString(text) {
			return &mistakes[i]
		}
	}
	return nil
}

// Scan reads the encoding, the fences and the body. A fence is exactly --- with
// optional trailing white space, because clients disagree on variants. A line
// that resembles a fence and can be repaired is a fault, and reading continues
// after it.
func Scan(src []byte) Content {
	d := Content{Source: src}
	text, ok := d.scanEncoding()
	if !ok {
		return d
	}
	x, open := d.fenceLines(), 1
	if !isFence(bytes.TrimPrefix(x.Text(1), src[:len(src)-len(text)])) {
		open = d.missingFence(x)
		if open == 0 {
			return d
		}
	}
	for n := open + 1; n <= len(x.Starts); n++ {
		if isFence(x.Text(n)) {
			d.closeBlock(x, open, n)
			return d
		}
	}
	if last, found := d.nearFence(open, len(x.Starts)); !found {
		d.fault("frontmatter-unclosed", x.Line(open), unclosed, fmt.Sprintf("add a line --- after line %d", last))
	}
	return d
}

// fenceLines returns the lines of the file, or only those up to the closing
// fence if both fences are valid.
func (d *Content) fenceLines() Lines {
	const fence = "\n---\n"
	if end := bytes.Index(d.Source, []byte(fence)); end >= 0 && bytes.HasPrefix(d.Source, []byte(fence[1:])) {
		return IndexLines(d.Source[:end+len(fence)])
	}
	return d.Lines()
}

// closeBlock sets the frontmatter to the text between two lines.
func (d *Content) closeBlock(x Lines, open, n int) {
	body := len(d.Source)
	if n < len(x.Starts) {
		body = x.Starts[n]
	}
	d.block = Block{Start: x.Starts[open], End: x.Starts[n-1], Line: open + 1, BodyStart: body}
	d.Body = unsafe.String(unsafe.SliceData(d.Source[body:]), len(d.Source)-body) // no copy: Source is immutable
	d.BodyLine = n + 1
}

// Opening returns the position of the opening fence, which findings about the
// whole frontmatter use.
func (d *Content) Opening() Span {
	x, n := d.Lines(), max(d.block.Line-1, 1)
	start := x.Line(n).Start.Column
	return x.Span(n, start, start+3)
}

// missingFence reports why the first line is not a fence. It returns the line
// that a fix turns into one, or 0.
func (d *Content) missingFence(x Lines) (open int) {
	text := strings.TrimPrefix(string(d.Source), byteOrderMark)
	start := len(d.Source) - len(text)
	first := strings.TrimRight(strings.TrimPrefix(string(x.Text(1)), byteOrderMark), " \t")
	fields := usualField(fieldKey(first))
	// A fence further down is followed by fields, otherwise it is a thematic break.
	opens := func(n int) bool { return isFence(x.Text(n)) && (fields || fieldFollows(x, n)) }
	fence := 2
	for fence <= min(len(x.Starts), maxSearched) && !opens(fence) {
		fence++
	}
	span, why, help := x.Line(1), "", "start the file with ---, name, description and another ---"
	var fix *Fix
	switch file, line := findMistake(openingMistakes, text), findMistake(fenceMistakes, first); {
	case file != nil:
		why, help = "; "+file.why, file.help
		if strings.TrimSpace(text) == "" {
			span = Span{}
		}
	case line != nil:
		why, help = "; "+line.why+": "+printable.Quote(first), line.help
		if fieldFollows(x, 1) { // otherwise the line may be a thematic break
			fix, open = fenceFix(x, 1), 1
		}
	case fence > min(len(x.Starts), maxSearched):
		if fields {
			help = "add a line --- before this one, and another after the fields"
		}
		if start == 0 {
			d.Body = text // nothing else is in the file
		}
	case len(bytes.TrimSpace(d.Source[start:x.Starts[fence-1]])) == 0:
		why, help = fmt.Sprintf("; blank lines precede the fence on line %d", fence), "delete the lines before ---"
		span, fix, open = x.Span(1, 1, 1), change("delete the blank lines before ---", start, x.Starts[fence-1], ""), fence
	case fields:
		why, help = fmt.Sprintf("; the fields start here, and the --- on line %d closes them", fence), "add a line --- before this one"
	default:
		why = fmt.Sprintf("; text precedes the fence on line %d", fence)
		help = "move --- to the first line; comments belong below the frontmatter"
	}
	d.faultFix("frontmatter-missing", span, fix, missing+why, help)
	if fix == nil {
		return 0
	}
	return open
}

// scanEncoding reports every way in which the file is not plain UTF-8. It
// returns the text without a byte order mark; ok is false if the text is
// unusable.
func (d *Content) scanEncoding() (text []byte, ok bool) {
	src := d.Source
	if name := wideEncoding(src); name != "" {
		d.fault("encoding", Span{}, fmt.Sprintf("the file is %s, not UTF-8", name),
			"save it as UTF-8 without a byte order mark (PowerShell: Set-Content -Encoding utf8NoBOM)")
		return nil, false
	}
	if !utf8.Valid(src) {
		at := firstInvalid(src)
		d.fault("encoding", d.Lines().Place(at), fmt.Sprintf("byte 0x%02X at offset %d is not valid UTF-8", src[at], at), "save the file as UTF-8")
		return nil, false
	}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		d.faultFix("encoding", d.Lines().Span(1, 1, 2), change("delete the byte order mark", 0, len(byteOrderMark), ""),
			"the file starts with a byte order mark (U+FEFF), so it does not start with the frontmatter's ---",
			"save the file as UTF-8 without a byte order mark")
		return src[len(byteOrderMark):], true
	}
	return src, true
}

// wideEncoding recognises UTF-16 and UTF-32 by their byte order marks, and
// UTF-16 without one by the zero bytes of an ASCII fence.
func wideEncoding(src []byte) string {
	for _, w := range []struct{ prefix, name string }{
		{"\xFF\xFE\x00\x00", "UTF-32 (little endian)"},
		{"\x00\x00\xFE\xFF", "UTF-32 (big endian)"},
		{"\xFF\xFE", "UTF-16 (little endian)"},
		{"\xFE\xFF", "UTF-16 (big endian)"},
		{"-\x00-\x00", "UTF-16 (little endian, no byte order mark)"},
		{"\x00-\x00-", "UTF-16 (big endian, no byte order mark)"},
	} {
		if bytes.HasPrefix(src, []byte(w.prefix)) {
			return w.name
		}
	}
	return ""
}

// firstInvalid returns the offset of the first byte that is not valid UTF-8.
func firstInvalid(src []byte) (at int) {
	for r, n := utf8.DecodeRune(src); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(src[at:]) {
		at += n
	}
	return at
}
