package frontmatter

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

const byteOrderMark = "\xEF\xBB\xBF"

// scanEncoding looks for the ways in which a file is not plain UTF-8. It
// returns the text to read on with (without a byte order mark), or ok false
// where there is none.
func scanEncoding(d *Content) (text []byte, ok bool) {
	src := d.Source
	if name := wideEncoding(src); name != "" {
		d.fault("encoding", Span{}, fmt.Sprintf("the file is %s, not UTF-8", name),
			"save it as UTF-8 without a byte order mark (PowerShell: Set-Content -Encoding utf8NoBOM)")
		return nil, false
	}
	if !utf8.Valid(src) {
		at := firstInvalid(src)
		span := d.Lines().Place(at)
		guess := ""
		if name := westernEncoding(src); name != "" {
			guess = fmt.Sprintf("; it looks like %s, where that is %q", name, windows1252(src[at]))
		}
		d.fault("encoding", span, fmt.Sprintf("byte 0x%02X at offset %d is not valid UTF-8%s", src[at], at, guess),
			"save the file as UTF-8")
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

// wideEncoding recognises UTF-16 and UTF-32 by their marks, or UTF-16 without
// one by the zero bytes around an ASCII fence.
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

func firstInvalid(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(src)
}

// westernEncoding names the encoding of a text of which every invalid byte stands
// for a character of Windows-1252, "" where there is none. There, letters beyond
// ASCII stand alone or nearly so; long runs are Chinese or another script.
func westernEncoding(src []byte) string {
	name, run := "Latin-1 or Windows-1252", 0
	for _, c := range src {
		if run++; c < 0x80 {
			run = 0
		}
		if run == 4 {
			return ""
		}
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 && src[i] < 0xA0 {
			if name = "Windows-1252"; windows1252(src[i]) == utf8.RuneError {
				return ""
			}
		}
		i += n
	}
	return name
}

// windows1252 is the character that a byte beyond ASCII stands for in
// Windows-1252, which is Latin-1 from 0xA0 on; utf8.RuneError for none.
func windows1252(c byte) rune {
	if c >= 0xA0 {
		return rune(c)
	}
	return []rune("€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ")[c-0x80]
}

// place returns the span of the one character at a byte offset.
func (x Lines) Place(offset int) Span {
	start := x.At(offset)
	return x.Span(start.Line, start.Column, start.Column+1)
}

// at returns the place of a byte offset.
func (x Lines) At(offset int) Pos {
	offset = min(max(offset, 0), len(x.Source))
	n, found := slices.BinarySearch(x.Starts, offset)
	if !found {
		n--
	}
	return Pos{n + 1, utf8.RuneCount(x.Source[x.Starts[n]:offset]) + 1}
}
