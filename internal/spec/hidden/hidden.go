// Package hidden finds characters that are invisible to a reader but not to a
// model or a terminal: Unicode tags, variation selectors, direction controls,
// zero-width characters and escape sequences.
package hidden

import (
	"bytes"
	"encoding/binary"
	"sync"
	"unicode/utf8"

	"skills/internal/lazyregexp"
)

// Kind is a way to hide text.
type Kind uint8

// The kinds returned by [Find].
const (
	Tags      Kind = iota // Unicode tag characters, which mirror ASCII
	Selectors             // runs of variation selectors, which can encode bytes
	Bidi                  // controls that change the display order
	ZeroWidth             // zero-width characters
)

// Range is a range of hidden characters, in byte offsets.
type Range struct {
	Kind       Kind
	Start, End int
}

// limit is the maximum number of results for one text.
const limit = 1000

// Find returns the ranges of hidden characters in a text, in order and at most
// 1,000. Characters that a script or an emoji needs are omitted. Set code for a
// program, in which controls for right-to-left text are always reported. Bytes
// that are not UTF-8 are skipped.
func Find(src []byte, code bool) []Range {
	var out []Range
	rightToLeft := sync.OnceValue(func() bool { return bytes.ContainsFunc(src, isRightToLeft) })
	lineEnd := 0 // end of the last line with a control
	for i := 0; len(out) < limit; {
		i = nextSuspicious(src, i)
		if i == len(src) {
			break
		}
		r, n := utf8.DecodeRune(src[i:])
		end, kind, report := i+n, ZeroWidth, false
		same := func(other rune) bool { return other == r }
		switch {
		case isTag(r):
			end = runEnd(src, i, isTag)
			kind, report = Tags, !isFlag(src, i, end)
		case isSelector(r):
			// One selects a form of the character before it. Emoji carry one, or
			// two by mistake.
			end = runEnd(src, i, isSelector)
			kind, report = Selectors, utf8.RuneCount(src[i:end]) >= 4
		case r == softHyphen:
			// One marks a possible line break; several in a row encode data.
			end = runEnd(src, i, same)
			report = end > i+n
		case r == brailleBlank:
			end = runEnd(src, i, same)
			report = !nearBraille(src, i, end)
		case isBidiMark(r):
			report = !rightToLeft() && !escapesMark(src, i, end)
		case isBidiControl(r) && i >= lineEnd: // reported once per line
			lineEnd = len(src)
			if n := bytes.IndexAny(src[i:], "\r\n"); n >= 0 {
				lineEnd = i + n
			}
			kind, report = Bidi, misleads(src[bytes.LastIndexAny(src[:i], "\r\n")+1:lineEnd], code)
		case isZeroWidth(r) && i > 0:
			end = runEnd(src, i, isZeroWidth)
			report = !needed(src, i, end)
		}
		if report {
			out = append(out, Range{kind, i, end})
		}
		i = end
	}
	return out
}

// nextSuspicious returns the offset of the next relevant character from i on,
// or len(src).
func nextSuspicious(src []byte, i int) int {
	for i < len(src) {
		if i+8 <= len(src) && binary.LittleEndian.Uint64(src[i:])&0x8080808080808080 == 0 {
			i += 8 // ASCII
			continue
		}
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if isSuspicious(r) {
			return i
		}
		i += n
	}
	return len(src)
}

// isSuspicious reports whether r may hide something. Most letters are below the
// first of these characters, apart from the soft hyphen.
func isSuspicious(r rune) bool {
	if r < firstSuspicious {
		return r == softHyphen
	}
	return r == brailleBlank || isTag(r) || isSelector(r) || isBidiMark(r) || isBidiControl(r) || isZeroWidth(r)
}

// firstSuspicious is the Arabic letter mark.
const firstSuspicious = 0x61C

// runEnd returns the end of the run of characters of a kind that starts at i.
func runEnd(src []byte, i int, kind func(rune) bool) int {
	return len(src) - len(bytes.TrimLeftFunc(src[i:], kind))
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

func isSelector(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF }

// flags matches the subdivision flags that some fonts support: Great Britain,
// the United States and Canada.
var flags = lazyregexp.New(`^(?:gb(?:eng|sct|wls)|(?:us|ca)[a-z]{2})\x7F$`)

// isFlag reports whether the tags after a black flag spell a supported
// subdivision.
func isFlag(src []byte, start, end int) bool {
	black, _ := utf8.DecodeLastRune(src[:start])
	region := bytes.Map(func(r rune) rune { return r - 0xE0000 }, src[start:end])
	return black == 0x1F3F4 && flags().Match(region)
}

// Payload decodes the text in a range of tags or selectors, or returns "" if it
// is not readable.
func (h Range) Payload(src []byte) string {
	var out []byte
	for _, r := range string(src[h.Start:h.End]) {
		switch {
		case h.Kind == Tags && 0xE0020 <= r && r <= 0xE007E:
			out = append(out, byte(r-0xE0000))
		case h.Kind == Selectors && r <= 0xFE0F:
			out = append(out, byte(r-0xFE00))
		case h.Kind == Selectors:
			out = append(out, byte(r-0xE0100+16))
		}
	}
	if !utf8.Valid(out) || bytes.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
		return ""
	}
	return string(out)
}

const escape = 0x1B

// sequences matches escape sequences (ECMA-48); for those that contain a
// string, only the introducer.
var sequences = lazyregexp.New(`\x1b(?:\[[ -?]*[@-~]|[\]PX^_])`)

// Escapes returns the terminal escape sequences in a text.
func Escapes(src []byte) []Range {
	if bytes.IndexByte(src, escape) < 0 {
		return nil
	}
	var out []Range
	for _, at := range sequences().FindAllIndex(src, limit) {
		out = append(out, Range{Start: at[0], End: at[1]})
	}
	return out
}
