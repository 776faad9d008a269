package agent

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Servers that count text in units of UTF-16 cut a character in two, and write
// each half as an escape: "\ud83d" ends one chunk, "\ude00" begins the next. A
// half is kept as the three bytes that UTF-8 would have for it, which are no
// valid text, until its other half stands beside it.
const (
	halfBytes   = 3
	escapeBytes = len(`\ud83d`)
)

// unescaped is the text of a JSON string, with halves at its ends kept.
func unescaped(v gjson.Result) string {
	inner := v.Raw
	if len(inner) < 2+escapeBytes || inner[0] != '"' {
		return v.Str
	}
	inner = inner[1 : len(inner)-1]
	first, last := half(inner[:escapeBytes]), half(inner[len(inner)-escapeBytes:])
	begins := first >= 0xDC00
	ends := last >= 0xD800 && last < 0xDC00 && !quoted(inner[:len(inner)-escapeBytes])
	if !begins && !ends {
		return v.Str
	}
	var b strings.Builder
	if begins {
		b.Write(halved(first))
		inner = inner[escapeBytes:]
	}
	if ends {
		inner = inner[:len(inner)-escapeBytes]
	}
	b.WriteString(gjson.Parse(`"` + inner + `"`).Str)
	if ends {
		b.Write(halved(last))
	}
	return b.String()
}

// half returns the half of a character that an escape stands for, 0 for any
// other text.
func half(escape string) rune {
	if escape[0] != '\\' || escape[1] != 'u' || escape[2]|0x20 != 'd' {
		return 0
	}
	unit, err := strconv.ParseUint(escape[2:], 16, 16)
	if err != nil || !utf16.IsSurrogate(rune(unit)) {
		return 0
	}
	return rune(unit)
}

// quoted reports whether the character after text is escaped by its end.
func quoted(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

func halved(unit rune) []byte {
	return []byte{0xE0 | byte(unit>>12), 0x80 | byte(unit>>6)&0x3F, 0x80 | byte(unit)&0x3F}
}

// halfAt returns the half that text begins with, 0 for none.
func halfAt(text string) rune {
	if len(text) < halfBytes || text[0] != 0xED || text[1]&0xE0 != 0xA0 || text[2]&0xC0 != 0x80 {
		return 0
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
}

// joinHalves puts the halves of a text together; one alone becomes U+FFFD.
func joinHalves(text string) string {
	at := strings.IndexByte(text, 0xED)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(text, 0xED) {
		b.WriteString(text[:at])
		text = text[at:]
		first := halfAt(text)
		if first == 0 {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		text = text[halfBytes:]
		r := utf16.DecodeRune(first, halfAt(text))
		if r != utf8.RuneError {
			text = text[halfBytes:]
		}
		b.WriteRune(r)
	}
	b.WriteString(text)
	return b.String()
}
