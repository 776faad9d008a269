// Package hidden finds characters in text that nobody sees but that a model or a
// terminal reads: Unicode tags, variation selectors, controls of direction,
// characters without width and escape sequences.
package hidden

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// Kind is a way to hide something in a text.
type Kind uint8

// The kinds of [Find].
const (
	Tags      Kind = iota // Unicode tag characters, an invisible ASCII
	Selectors             // variation selectors in a row, invisible bytes
	Bidi                  // controls that change the order of what is shown
	ZeroWidth             // characters without width
)

// Stretch is a stretch of hidden characters, as byte offsets.
type Stretch struct {
	Kind       Kind
	Start, End int
}

// limit bounds what is found in one text: all of it may be hidden.
const limit = 1000

// Find returns the hidden stretches of a text in their order, at most 1,000.
// Characters that a script or an emoji needs are left out. code says that the
// text is a program, where controls for right-to-left text are never innocent.
// Bytes that are not UTF-8 are skipped.
func Find(src []byte, code bool) []Stretch {
	var out []Stretch
	context := bidiContext{src: src, code: code}
	for i := 0; len(out) < limit; {
		if i = nextSuspicious(src, i); i == len(src) {
			break
		}
		r, n := utf8.DecodeRune(src[i:])
		end := i + n
		switch {
		case isTag(r):
			end = runEnd(src, i, isTag)
			if !isFlag(src, i, end) {
				out = append(out, Stretch{Tags, i, end})
			}
		case isSelector(r):
			// One selects a form of the character before it; emoji carry one,
			// careless ones two.
			if end = runEnd(src, i, isSelector); utf8.RuneCount(src[i:end]) >= 4 {
				out = append(out, Stretch{Selectors, i, end})
			}
		case isBidiMark(r):
			if !context.rightToLeft() {
				out = append(out, Stretch{ZeroWidth, i, end})
			}
		case isBidiControl(r):
			if context.misleads(i) {
				out = append(out, Stretch{Bidi, i, end})
			}
		case isZeroWidth(r) && i > 0:
			if end = runEnd(src, i, isZeroWidth); !needed(src, i, end) {
				out = append(out, Stretch{ZeroWidth, i, end})
			}
		}
		i = end
	}
	return out
}

// nextSuspicious returns the offset of the next character of a kind from i on,
// len(src) if there is none. Nearly every text has none, so this is the cost of the
// search.
func nextSuspicious(src []byte, i int) int {
	for i < len(src) {
		if i+8 <= len(src) && binary.LittleEndian.Uint64(src[i:])&0x8080808080808080 == 0 {
			i += 8
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if r >= 0x61C && (isTag(r) || isSelector(r) || isBidiMark(r) || isBidiControl(r) || isZeroWidth(r)) {
			return i
		}
		i += n
	}
	return len(src)
}

// runEnd returns the end of the run of characters of a kind that starts at i.
func runEnd(src []byte, i int, kind func(rune) bool) int {
	for i < len(src) {
		r, n := utf8.DecodeRune(src[i:])
		if !kind(r) {
			break
		}
		i += n
	}
	return i
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

func isSelector(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF }

// isFlag reports whether tags spell the region of a flag that some fonts have:
// after a black flag England, Scotland or Wales, or a state or province of the
// United States or Canada, and the tag that ends them.
func isFlag(src []byte, start, end int) bool {
	tags := []rune(string(src[start:end]))
	last := len(tags) - 1
	if lastRune(src[:start]) != 0x1F3F4 || last > len("gbeng") || tags[last] != 0xE007F {
		return false
	}
	region := make([]byte, last)
	for i, t := range tags[:last] {
		if region[i] = byte(t - 0xE0000); region[i] < 'a' || region[i] > 'z' {
			return false
		}
	}
	switch string(region) {
	case "gbeng", "gbsct", "gbwls":
		return true
	}
	return len(region) == 4 && (string(region[:2]) == "us" || string(region[:2]) == "ca")
}

// Payload decodes the text that a stretch of tags, selectors or zero-width
// characters spells. It returns "" if that is not readable text.
func (h Stretch) Payload(src []byte) string {
	var out []byte
	runes := []rune(string(src[h.Start:h.End]))
	for _, r := range runes {
		switch {
		case h.Kind == Tags && 0xE0020 <= r && r <= 0xE007E:
			out = append(out, byte(r-0xE0000))
		case h.Kind == Selectors && r <= 0xFE0F:
			out = append(out, byte(r-0xFE00))
		case h.Kind == Selectors:
			out = append(out, byte(r-0xE0100+16))
		}
	}
	if h.Kind == ZeroWidth {
		out = fromBits(runes)
	}
	if !utf8.Valid(out) || bytes.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
		return ""
	}
	return string(out)
}

// fromBits reads zero-width characters of two kinds as the bits of ASCII text, nil
// if they are not.
func fromBits(runes []rune) []byte {
	if len(runes) < 16 || len(runes)%8 != 0 {
		return nil
	}
next:
	for _, one := range []rune{0x200C, 0x200B, 0x200D, 0x2060, 0xFEFF} {
		out := make([]byte, len(runes)/8)
		for i, r := range runes {
			out[i/8] <<= 1
			if r == one {
				out[i/8] |= 1
			}
		}
		for _, c := range out {
			if c < ' ' || c > '~' {
				continue next
			}
		}
		return out
	}
	return nil
}

const escape = 0x1B

// Escapes returns the escape sequences in a text that a terminal obeys.
func Escapes(src []byte) []Stretch {
	var out []Stretch
	for from := 0; len(out) < limit; {
		n := bytes.IndexByte(src[from:], escape)
		if n < 0 {
			break
		}
		from += n
		if size := sequence(src[from:]); size > 0 {
			out = append(out, Stretch{Start: from, End: from + size})
		}
		from++
	}
	return out
}

// sequence returns the length of the escape sequence that a text starts with
// (ECMA-48), 0 if there is none. Of a sequence that holds a string it is the
// length of the part before that.
func sequence(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	switch src[1] {
	case '[':
		n := 2
		for n < len(src) && src[n] >= 0x20 && src[n] < 0x40 {
			n++
		}
		if n < len(src) && src[n] >= 0x40 && src[n] < 0x7F {
			return n + 1
		}
	case ']', 'P', 'X', '^', '_':
		return 2
	}
	return 0
}
