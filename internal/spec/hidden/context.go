package hidden

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isBidiControl reports whether r opens or closes text in another direction.
func isBidiControl(r rune) bool { return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 }

// isBidiMark reports whether r is an invisible directional mark.
func isBidiMark(r rune) bool { return r == 0x200E || r == 0x200F || r == 0x061C }

// Characters that are blank or look like a space.
const (
	softHyphen   = 0xAD
	brailleBlank = 0x2800
)

// nearBraille reports whether Braille blanks are next to other patterns, as in
// a drawing or a text.
func nearBraille(src []byte, start, end int) bool {
	line := src[bytes.LastIndexByte(src[:start], '\n')+1:]
	if n := bytes.IndexByte(src[end:], '\n'); n >= 0 {
		line = src[len(src)-len(line) : end+n]
	}
	return bytes.ContainsFunc(line[:min(len(line), 1000)], func(r rune) bool { return brailleBlank < r && r <= 0x28FF })
}

// isZeroWidth reports whether r has no width, is blank but counts as a letter
// (the Hangul fillers), or delimits an invisible annotation. The soft hyphen
// does not count: it is visible when it has an effect.
func isZeroWidth(r rune) bool {
	switch {
	case 0x200B <= r && r <= 0x200D, 0x2060 <= r && r <= 0x2064, 0x206A <= r && r <= 0x206F:
		return true
	case r == 0xFEFF, r == 0x180E, 0xFFF9 <= r && r <= 0xFFFB, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return false
}

// misleads reports whether the direction controls on a line can deceive a
// reader. They cannot on a line with right-to-left letters where no control
// overrides the order and every one is closed. In a program they always can.
func misleads(line []byte, code bool) bool {
	return code || !bytes.ContainsFunc(line, isRightToLeft) || !balanced(line)
}

// balanced reports whether every embedding and isolate on a line is closed on
// it and no control overrides the order of characters.
func balanced(line []byte) bool {
	var open []rune
	for _, r := range string(line) {
		switch r {
		case 0x202D, 0x202E:
			return false
		case 0x202A, 0x202B:
			open = append(open, 0x202C)
		case 0x2066, 0x2067, 0x2068:
			open = append(open, 0x2069)
		case 0x202C, 0x2069:
			if len(open) == 0 || open[len(open)-1] != r {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// isRightToLeft reports whether r is a letter of a right-to-left script.
// Directional marks are not letters.
func isRightToLeft(r rune) bool {
	return r >= 0x590 && !isBidiMark(r) && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam)
}

// Characters that no letter needs: the mark at the start of a file, and those
// around notes between lines.
const (
	byteOrderMark   = 0xFEFF
	firstAnnotation = 0xFFF9
	lastAnnotation  = 0xFFFB
)

// needed reports whether the characters between start and end have a legitimate
// use: they join emoji, or join, separate or fill letters of a script that
// needs it.
func needed(src []byte, start, end int) bool {
	first, _ := utf8.DecodeRune(src[start:])
	after, _ := utf8.DecodeRune(src[end:])
	switch {
	case utf8.RuneCount(src[start:end]) > 3:
		return false
	case first == byteOrderMark, firstAnnotation <= first && first <= lastAnnotation:
		return false
	case first == 0x200D && isEmoji(after), escapesMark(src, start, end):
		return true
	}
	// Chinese and Japanese authors also separate Markdown marks from their text.
	after, _ = utf8.DecodeRune(bytes.TrimLeft(src[end:], "*_~`"))
	before, _ := utf8.DecodeLastRune(bytes.TrimRight(src[:start], "*_~`"))
	return isComplex(before) || isComplex(after)
}

// escapesMark reports whether a single zero-width character escapes what
// follows: a fence or a code span, a mention, or a list or heading at the start
// of a line.
func escapesMark(src []byte, start, end int) bool {
	if utf8.RuneCount(src[start:end]) > 1 || start == 0 || end == len(src) {
		return false
	}
	before := src[bytes.LastIndexByte(src[:start], '\n')+1 : start]
	const fences, marks = "`~@", "#>|-*+[!0123456789"
	return strings.IndexByte(fences, src[end]) >= 0 || strings.IndexByte(fences, src[start-1]) >= 0 ||
		strings.IndexByte(marks, src[end]) >= 0 && len(bytes.Trim(before, " \t>")) == 0
}

func isEmoji(r rune) bool {
	return 0x1F000 <= r && r <= 0x1FBFF || 0x2190 <= r && r <= 0x21FF || 0x2300 <= r && r <= 0x27BF || 0x2B00 <= r && r <= 0x2BFF
}

// isComplex reports whether r belongs to a script whose letters join, or that
// has no spaces between words.
func isComplex(r rune) bool {
	return r >= 0x590 && r != utf8.RuneError && !isZeroWidth(r) && (unicode.IsLetter(r) || unicode.IsMark(r) && !isSelector(r) || 0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFFEF) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}
