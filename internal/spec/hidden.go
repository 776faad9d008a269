package spec

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// hiddenKind is a way to put characters into a text that nobody sees.
type hiddenKind uint8

const (
	hiddenTags      hiddenKind = iota // Unicode tag characters, an invisible ASCII
	hiddenSelectors                   // variation selectors in a row, invisible bytes
	hiddenBidi                        // controls that change the order of what is shown
	hiddenZeroWidth                   // characters without width
)

// hidden is a stretch of such characters, in bytes of the text.
type hidden struct {
	kind       hiddenKind
	start, end int
}

// maxHidden bounds what is found in one text: all of it may be hidden.
const maxHidden = 1000

// findHidden returns the hidden stretches of a text in their order. code says
// that the text is a program, where controls for right-to-left text are never
// innocent. Bytes that are no UTF-8 are passed over.
func findHidden(src []byte, code bool) []hidden {
	var out []hidden
	context := bidiContext{src: src, code: code}
	for i := 0; len(out) < maxHidden; {
		if i = nextSuspicious(src, i); i == len(src) {
			break
		}
		r, n := utf8.DecodeRune(src[i:])
		end := i + n
		switch {
		case isTag(r):
			end = runEnd(src, i, isTag)
			if !isFlag(src, i, end) {
				out = append(out, hidden{hiddenTags, i, end})
			}
		case isSelector(r):
			// One selects a form of the character before it; emoji carry one,
			// careless ones two.
			if end = runEnd(src, i, isSelector); utf8.RuneCount(src[i:end]) >= 4 {
				out = append(out, hidden{hiddenSelectors, i, end})
			}
		case isBidiMark(r):
			if !context.rightToLeft() {
				out = append(out, hidden{hiddenZeroWidth, i, end})
			}
		case isBidiControl(r):
			if context.misleads(i) {
				out = append(out, hidden{hiddenBidi, i, end})
			}
		case isZeroWidth(r) && i > 0:
			if end = runEnd(src, i, isZeroWidth); !needed(src, i, end) {
				out = append(out, hidden{hiddenZeroWidth, i, end})
			}
		}
		i = end
	}
	return out
}

// nextSuspicious returns the first place from i on where a character may stand
// that is looked for, len(src) where there is none. Nearly every text has
// none, so this is what the search costs.
func nextSuspicious(src []byte, i int) int {
	for i < len(src) {
		if i+8 <= len(src) && binary.LittleEndian.Uint64(src[i:])&0x8080808080808080 == 0 {
			i += 8
			continue
		}
		if src[i] < 0x80 || i+1 == len(src) {
			i++
			continue
		}
		second := src[i+1]
		switch src[i] {
		case 0xD8:
			if second == 0x9C {
				return i
			}
		case 0xE1:
			if second == 0x85 || second == 0xA0 {
				return i
			}
		case 0xE2:
			if second == 0x80 || second == 0x81 {
				return i
			}
		case 0xE3:
			if second == 0x85 {
				return i
			}
		case 0xEF:
			if second == 0xB8 || second == 0xBB || second == 0xBE || second == 0xBF {
				return i
			}
		case 0xF3:
			if second == 0xA0 {
				return i
			}
		}
		i++
	}
	return len(src)
}

// runEnd returns where the characters of a kind end that start at i.
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

// isFlag reports whether tags spell the region of a flag that is drawn
// somewhere: behind a black flag England, Scotland or Wales, or a state or
// province of the United States or Canada, and the tag that ends them.
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

// payload decodes what a stretch says; "" where it says nothing that can be
// read.
func (h hidden) payload(src []byte) string {
	var out []byte
	runes := []rune(string(src[h.start:h.end]))
	for _, r := range runes {
		switch {
		case h.kind == hiddenTags && 0xE0020 <= r && r <= 0xE007E:
			out = append(out, byte(r-0xE0000))
		case h.kind == hiddenSelectors && r <= 0xFE0F:
			out = append(out, byte(r-0xFE00))
		case h.kind == hiddenSelectors:
			out = append(out, byte(r-0xE0100+16))
		}
	}
	if h.kind == hiddenZeroWidth {
		out = fromBits(runes)
	}
	if !utf8.Valid(out) || bytes.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
		return ""
	}
	return string(out)
}

// fromBits reads zero-width characters of two kinds as the bits of ASCII; nil
// where that makes no text.
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
