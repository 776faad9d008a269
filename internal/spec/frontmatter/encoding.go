package frontmatter

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

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
