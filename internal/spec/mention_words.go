package spec

import (
	"unicode"
	"unicode/utf8"
)

// mentionWord finds the next word of a text at or behind a place: of letters and
// of the marks that paths and patterns have. plain tells that none of those is in
// it, and ascii that nothing but ASCII is. Behind the last word start is end.
func mentionWord(src string, at int) (start, end int, plain, ascii bool) {
	for at < len(src) {
		if c := src[at]; c < utf8.RuneSelf {
			if mentionBytes[c] != 0 {
				break
			}
			at++
			continue
		}
		size := mentionSize(src, at)
		if size > 0 {
			break
		}
		at -= size
	}
	start, plain, ascii = at, true, true
	for at < len(src) {
		c := src[at]
		if c < utf8.RuneSelf {
			kind := mentionBytes[c]
			if kind == 0 {
				break
			}
			plain = plain && kind != meaningByte
			at++
			continue
		}
		size := mentionSize(src, at)
		if size < 0 {
			break
		}
		ascii = false
		at += size
	}
	return start, at, plain, ascii
}

// mentionSize is the length of the character outside ASCII at a place, less than
// 0 where it is in no word.
func mentionSize(src string, at int) int {
	r, size := utf8.DecodeRuneInString(src[at:])
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return size
	}
	return -size
}

// What a byte of ASCII is in a word: one of its letters, or something that means
// more in a path or a pattern.
const (
	letterByte uint8 = 1 + iota
	meaningByte
)

const meaningMarks = `./\*{}<>$?`

var mentionBytes = func() (kinds [utf8.RuneSelf]uint8) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-~+@%") {
		kinds[c] = letterByte
	}
	for _, c := range []byte(meaningMarks) {
		kinds[c] = meaningByte
	}
	return kinds
}()

// wordsAsked are the words that somebody looks for, in small letters.
type wordsAsked struct {
	words map[string]bool
	// firsts are the first bytes of those of each length, the last being that of
	// all that are longer, as bits: small letters are of the upper 64 of ASCII.
	firsts [64][2]uint64
}

func (a *wordsAsked) add(w string) {
	if w == "" {
		return
	}
	a.words[w] = true
	if c := w[0]; c < utf8.RuneSelf {
		a.firsts[min(len(w), 63)][c>>6] |= 1 << (c & 63)
	}
}

// may reports whether a word of ASCII may be one of them, in whatever case. It
// is asked of every word of every text.
func (a *wordsAsked) may(w string) bool {
	c := w[0]
	if isASCIILetter(c) {
		c |= 0x20
	}
	return a.firsts[min(len(w), 63)][c>>6]>>(c&63)&1 != 0
}

func (a *wordsAsked) has(w string) bool { return a.words[w] }
