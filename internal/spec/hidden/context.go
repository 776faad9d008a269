package hidden

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// isBidiControl reports whether r opens or closes text in another direction.
func isBidiControl(r rune) bool { return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 }

// isBidiMark reports whether r is a mark that counts as a letter of a direction.
func isBidiMark(r rune) bool { return r == 0x200E || r == 0x200F || r == 0x061C }

// isZeroWidth reports whether r takes no room, looks like a space but counts as a
// letter (the Hangul fillers), or sets off an annotation that is not shown. The
// soft hyphen does not count: it is visible where it matters.
func isZeroWidth(r rune) bool {
	switch {
	case 0x200B <= r && r <= 0x200D, 0x2060 <= r && r <= 0x2064, 0x206A <= r && r <= 0x206F:
		return true
	case r == 0xFEFF, r == 0x180E, 0xFFF9 <= r && r <= 0xFFFB, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return false
}

// bidiContext decides whether a text needs controls of direction.
type bidiContext struct {
	src     []byte
	code    bool
	looked  bool
	letters bool // whether there are letters that run from right to left
	until   int  // end of the line last looked at
}

func (c *bidiContext) rightToLeft() bool {
	if !c.looked {
		c.looked, c.letters = true, bytes.ContainsFunc(c.src, isRightToLeft)
	}
	return c.letters
}

// misleads reports whether the control at i is the first one on its line and
// the line's controls are not those of honest right-to-left text: on a line
// with such letters, without overrides, every one closed.
func (c *bidiContext) misleads(i int) bool {
	if i < c.until {
		return false
	}
	end := len(c.src)
	if n := bytes.IndexAny(c.src[i:], "\r\n"); n >= 0 {
		end = i + n
	}
	start := bytes.LastIndexAny(c.src[:i], "\r\n") + 1
	c.until = end
	line := c.src[start:end]
	return c.code || !bytes.ContainsFunc(line, isRightToLeft) || !balanced(line)
}

// balanced reports whether every embedding and isolate of a line is closed on
// it and none overrides the order of characters.
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

// isRightToLeft reports whether r is a letter of a script that runs from right to
// left. Marks that only count as one do not.
func isRightToLeft(r rune) bool {
	return r >= 0x590 && !isBidiMark(r) && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam)
}

// needed reports whether the characters between start and end serve their purpose:
// they join or separate letters of scripts that need it, or join emoji.
func needed(src []byte, start, end int) bool {
	if utf8.RuneCount(src[start:end]) > 3 {
		return false
	}
	first, _ := utf8.DecodeRune(src[start:])
	before, after := lastRune(src[:start]), firstRune(src[end:])
	switch first {
	case 0x200D:
		if joinsEmoji(src[:start], after) {
			return true
		}
		return joining(before) || joining(after)
	case 0x200C:
		return joining(before) || joining(after)
	case 0x180E:
		return unicode.In(before, unicode.Mongolian) || unicode.In(after, unicode.Mongolian)
	case 0x115F, 0x1160, 0x3164, 0xFFA0:
		return unicode.In(before, unicode.Hangul) || unicode.In(after, unicode.Hangul)
	case 0x200B, 0x2060:
		// Chinese and Japanese writers also separate Markdown marks from their
		// text with these.
		before, after = lastRune(bytes.TrimRight(src[:start], "*_~`")), firstRune(bytes.TrimLeft(src[end:], "*_~`"))
		return breaksWithoutSpaces(before) || breaksWithoutSpaces(after)
	}
	return false
}

// joinsEmoji reports whether the text before a joiner ends in an emoji, with its
// variation or skin tone, and another one follows.
func joinsEmoji(before []byte, after rune) bool {
	r := lastRune(before)
	for r == 0xFE0F || r == 0xFE0E || 0x1F3FB <= r && r <= 0x1F3FF || r == 0x20E3 {
		before = before[:len(before)-utf8.RuneLen(r)]
		r = lastRune(before)
	}
	return isEmoji(r) && isEmoji(after)
}

func isEmoji(r rune) bool {
	return 0x1F000 <= r && r <= 0x1FBFF || 0x2190 <= r && r <= 0x21FF || 0x2300 <= r && r <= 0x27BF ||
		0x2B00 <= r && r <= 0x2BFF || r == 0x3030 || r == 0x303D || r == 0xE007F
}

// joining reports whether r is a letter of a script in which joiners change the
// writing.
func joining(r rune) bool {
	return r >= 0x590 && unicode.In(r,
		unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Meetei_Mayek,
		unicode.Khmer, unicode.Myanmar, unicode.Thai, unicode.Lao, unicode.Javanese, unicode.Balinese, unicode.Sundanese)
}

// breaksWithoutSpaces reports whether r belongs to a script without spaces between
// words.
func breaksWithoutSpaces(r rune) bool {
	return joining(r) || r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul) ||
		0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFFEF && r != 0xFFA0 || 0x2E80 <= r && r <= 0x2FFF
}

// lastRune returns the last character of a text, 0 if it is empty.
func lastRune(b []byte) rune {
	r, n := utf8.DecodeLastRune(b)
	if n == 0 {
		return 0
	}
	return r
}

// firstRune returns the first character of a text, 0 if it is empty.
func firstRune(b []byte) rune {
	r, n := utf8.DecodeRune(b)
	if n == 0 {
		return 0
	}
	return r
}
