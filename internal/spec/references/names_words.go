package references

import (
	"unicode"
	"unicode/utf8"
)

// nextWord finds the next word of a text from an offset on: of letters and of the
// marks that paths and patterns have. plain tells that it has no such mark, ascii
// that it is ASCII. After the last word, start is end.
func nextWord(src string, at int) (start, end int, plain, ascii bool) {
	for at < len(src) {
		if c := src[at]; c < utf8.RuneSelf {
			if wordBytes[c] != 0 {
				break
			}
			at++
			continue
		}
		size := wordSize(src, at)
		if size > 0 {
			break
		}
		at -= size
	}
	start, plain, ascii = at, true, true
	for at < len(src) {
		c := src[at]
		if c < utf8.RuneSelf {
			kind := wordBytes[c]
			if kind == 0 {
				break
			}
			plain = plain && kind != meaningByte
			at++
			continue
		}
		size := wordSize(src, at)
		if size < 0 {
			break
		}
		ascii = false
		at += size
	}
	return start, at, plain, ascii
}

// wordSize returns the length of the character outside ASCII at an offset, as a
// negative number if it is not part of a word.
func wordSize(src string, at int) int {
	r, size := utf8.DecodeRuneInString(src[at:])
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return size
	}
	return -size
}

// The kinds of ASCII bytes in a word: letters, and marks of a path or a pattern.
const (
	letterByte uint8 = 1 + iota
	meaningByte
)

const meaningMarks = `./\*{}<>$?`

var wordBytes = func() (kinds [utf8.RuneSelf]uint8) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-~+@%") {
		kinds[c] = letterByte
	}
	for _, c := range []byte(meaningMarks) {
		kinds[c] = meaningByte
	}
	return kinds
}()

// wordSet is a set of words in lower case.
type wordSet struct {
	words map[string]bool
	// firsts has a bit for the first byte of the words of each length; the last
	// length stands for all longer ones.
	firsts [64][2]uint64
}

func (a *wordSet) add(w string) {
	if w == "" {
		return
	}
	a.words[w] = true
	if c := w[0]; c < utf8.RuneSelf {
		a.firsts[min(len(w), 63)][c>>6] |= 1 << (c & 63)
	}
}

// may reports whether an ASCII word may be in the set, in whatever case. It is
// called for every word of every text.
func (a *wordSet) may(w string) bool {
	c := w[0]
	if c|0x20 >= 'a' && c|0x20 <= 'z' {
		c |= 0x20
	}
	return a.firsts[min(len(w), 63)][c>>6]>>(c&63)&1 != 0
}

func (a *wordSet) has(w string) bool { return a.words[w] }
