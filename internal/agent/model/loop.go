package model

// A model that has lost its way repeats the same line, sentence or white space until it
// reaches a limit, which can take many minutes. A stream is therefore compared with itself:
// it runs away if its last bytes are one unit, repeated for longer than any answer needs.
// How long that is depends on the unit. Tables, zeros and encoded data repeat themselves
// for long, and may; sentences and single marks do not.
//
// Only repetitions without any difference count, so that numbered lists and similar
// records never do. The memory is a window of constant size.

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
)

const (
	loopWindow = 4 << 10        // bytes that are compared
	loopUnit   = loopWindow / 2 // maximum size of a unit, so that it occurs twice
	loopStep   = 2 << 10        // bytes between searches for a unit

	maxBlank  = 8000 // consecutive white space, in bytes
	maxBlanks = 200  // line feeds in it
)

// loopLimits are the bytes of repetitions that are too many, for the first kind that a
// unit is of.
var loopLimits = []struct {
	is   func(unit string) bool
	most int
}{
	{isMark, 8 << 10},
	{isProse, 10 << 10},
	{func(string) bool { return true }, 32 << 10}, // numbers, code and data
}

// loop detects repetition at the end of a stream.
type loop struct {
	window [loopWindow]byte // the last bytes, as a ring
	seen   int              // bytes so far
	unit   int              // size of the unit that the end consists of, or 0
	length int              // of this end
	most   int              // the length that is too much

	blank, blanks int  // length of the white space at the end, and its line feeds
	escape        bool // whether a backslash is last in it
}

// add adds a piece and returns what the stream repeats without end, or "".
func (l *loop) add(piece string) string {
	for i := range len(piece) {
		if l.isBlank(piece[i]) {
			return "white space"
		}
		if l.isRepeated(piece[i]) {
			return shownUnit(aligned(l.last(l.unit)))
		}
	}
	return ""
}

// isBlank adds a byte to the white space at the end, and reports whether that is too
// long. Arguments of calls are JSON, where white space may be escaped.
func (l *loop) isBlank(c byte) bool {
	if l.escape {
		i := strings.IndexByte("nrt", c)
		c = "\x00\n\r\t"[i+1]
	}
	l.escape = c == '\\'
	switch c {
	case '\n':
		l.blanks++
	case ' ', '\t', '\r', '\\':
	default:
		l.blank, l.blanks = 0, 0
		return false
	}
	l.blank++
	return l.blank > maxBlank || l.blanks > maxBlanks
}

// isRepeated adds a byte and reports whether the unit at the end is repeated too often.
func (l *loop) isRepeated(c byte) bool {
	if l.unit > 0 && l.window[(l.seen-l.unit)%loopWindow] != c {
		l.unit = 0
	}
	l.window[l.seen%loopWindow] = c
	l.seen++
	switch {
	case l.unit > 0:
		l.length++
		return l.length > l.most
	case l.seen >= loopWindow && l.seen%loopStep == 0:
		l.search()
	}
	return false
}

// search looks for a unit that the whole window consists of, with the prefix function of
// Knuth, Morris and Pratt.
func (l *loop) search() {
	text := l.last(loopWindow)
	var prefix [loopWindow]int16
	for i, k := 1, 0; i < loopWindow; i++ {
		for k > 0 && text[i] != text[k] {
			k = int(prefix[k-1])
		}
		if text[i] == text[k] {
			k++
		}
		prefix[i] = int16(k)
	}
	unit := loopWindow - int(prefix[loopWindow-1])
	if unit > loopUnit {
		return
	}
	l.unit, l.length = unit, loopWindow
	repeated := aligned(l.last(unit))
	for _, limit := range loopLimits {
		if limit.is(repeated) {
			l.most = limit.most
			return
		}
	}
}

// aligned returns a repeated unit from the start of a character.
func aligned(unit string) string {
	for i := range len(unit) {
		if utf8.RuneStart(unit[i]) {
			return unit[i:] + unit[:i]
		}
	}
	return unit
}

// last returns the last n bytes.
func (l *loop) last(n int) string {
	end := l.seen % loopWindow
	return (string(l.window[end:]) + string(l.window[:end]))[loopWindow-n:]
}

// shownUnit quotes a unit from the start of a line, a sentence or a word.
func shownUnit(unit string) string {
	for _, before := range []string{"\n", `\n`, ". ", " "} {
		if _, after, ok := strings.Cut(unit, before); ok {
			unit = after + unit[:len(unit)-len(after)]
			break
		}
	}
	unit = strings.Join(strings.Fields(strings.ToValidUTF8(unit, "")), " ")
	return fmt.Sprintf("%q", printable.Truncate(unit, 60))
}

// isProse reports whether a unit has three words in a row, or six letters of a script
// that is not written in words. The unit may begin within a word.
func isProse(unit string) bool {
	words, letters, wide := 0, 0, 0
	for _, c := range unit + unit {
		switch {
		case !unicode.IsLetter(c):
			wide = 0
		case c >= utf8.RuneSelf:
			wide++
		}
		switch {
		case unicode.IsLetter(c) || c == '\'':
			letters++
		case letters > 0 && (c == ' ' || c == ','):
			words, letters = words+1, 0
		case c != ' ':
			if words >= 2 && letters > 0 {
				return true
			}
			words, letters = 0, 0
		}
		if wide >= 6 || words >= 3 {
			return true
		}
	}
	return false
}

// isMark reports whether a unit is one character that is no letter and no digit.
func isMark(unit string) bool {
	c, size := utf8.DecodeRuneInString(unit)
	return size == len(unit) && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}
