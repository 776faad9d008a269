package spec

import "encoding/binary"

// tokensAtMost returns a number that [EstimateTokens] of the text is not above,
// mostly by half as much again. It looks at eight bytes at a time: most texts
// are far below the limits, and are not measured.
func tokensAtMost(text []byte) int {
	c := byteCounter{}
	const most = 8 * 255 // more would overflow a column
	for ; len(text) > most; text = text[most:] {
		c.add(text[:most])
	}
	if whole := len(text) &^ 7; whole < len(text) {
		c.add(text[:whole])
		var last [8]byte // its zeros count as marks
		copy(last[:], text[whole:])
		text = last[:]
	}
	c.add(text)
	return c.tokens()
}

// byteCounter counts bytes by kind.
type byteCounter struct {
	letters, words, digits, blanks, indents, wide, accents int
	blocks                                                 int // eights of letters
	bytes                                                  int

	// What the eight bytes before were, a high bit each.
	letterBefore, smallBefore, blankBefore, pairBefore uint64
}

// Each byte of a word set to 1, to its high bit, and to all others.
const (
	eachOne  = 0x0101010101010101
	eachHigh = 0x80 * eachOne
	eachLow  = 0x7F * eachOne
)

// atLeast marks, by their high bits, the bytes of a word that are c or more
// without their own high bits.
func atLeast(word uint64, c byte) uint64 { return word&eachLow + uint64(0x80-c)*eachOne }

// after moves the marks of a word to the bytes behind them; before is the word
// in front.
func after(marks, before uint64) uint64 { return marks<<8 | before>>56 }

// add counts a text of at most 255 times eight bytes. The sums of its loop are
// kept by column: of the first byte of each eight, of the second, and so on.
func (c *byteCounter) add(text []byte) {
	var letters, words, digits, blanks, indents, wide, accents uint64
	letterBefore, smallBefore, blankBefore, pairBefore := c.letterBefore, c.smallBefore, c.blankBefore, c.pairBefore
	for i := 0; i+8 <= len(text); i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		high := word & eachHigh
		letter := atLeast(word|0x20*eachOne, 'a') &^ atLeast(word|0x20*eachOne, 'z'+1) & eachHigh &^ high
		small := letter & (word << 2)
		digit := atLeast(word, '0') &^ atLeast(word, '9'+1) & eachHigh &^ high
		blank := (atLeast(word, ' ')&^atLeast(word, ' '+1) | atLeast(word, '\t')&^atLeast(word, '\t'+1)) & eachHigh &^ high
		pair := blank & after(blank, blankBefore)

		letters += letter >> 7
		words += (letter&^after(letter, letterBefore) | letter&^small&after(small, smallBefore)) >> 7
		digits += digit >> 7
		blanks += blank >> 7
		indents += (pair &^ after(pair, pairBefore)) >> 7
		if letter == eachHigh {
			c.blocks++
		}
		if high != 0 {
			wide += high >> 7
			// The first bytes of the characters that kindOf calls accents.
			accents += (atLeast(word, 0xC3&0x7F)&^atLeast(word, 0xCE&0x7F)&high | atLeast(word, 0xE1&0x7F)&^atLeast(word, 0xE2&0x7F)&high) >> 7
		}
		letterBefore, smallBefore, blankBefore, pairBefore = letter, small, blank, pair
	}
	c.letterBefore, c.smallBefore, c.blankBefore, c.pairBefore = letterBefore, smallBefore, blankBefore, pairBefore
	c.letters += across(letters)
	c.words += across(words)
	c.digits += across(digits)
	c.blanks += across(blanks)
	c.indents += across(indents)
	c.wide += across(wide)
	c.accents += across(accents)
	c.bytes += len(text)
}

// across adds the columns of a sum.
func across(sum uint64) (n int) {
	for ; sum != 0; sum >>= 8 {
		n += int(sum & 0xFF)
	}
	return n
}

// tokens is the most that a text with these bytes can be estimated at.
func (c *byteCounter) tokens() int {
	letters, wide := float64(c.letters), float64(c.wide)
	sum := tokenWeights[wordStart]*float64(c.words) +
		tokenWeights[digitGroup]*float64(c.digits) +
		tokenWeights[indent]*float64(c.indents) +
		tokenWeights[mark]*float64(c.bytes-c.letters-c.digits-c.blanks-c.wide)
	// A word of up to 14 letters costs less than twice its thirteenth and
	// fourteenth beyond the sixth ones, spread over all of them; a longer one
	// has a whole block, and at most two letters more than twelve and its
	// blocks.
	sum += letters*(tokenWeights[letter6]+2*tokenWeights[letter13]/14) + 8*tokenWeights[letter13]*float64(c.blocks)
	if wide > 0 {
		// No character costs more by the byte than a letter with an accent that
		// is a word, which may make words of other letters long ones.
		const most = 1.3
		foreign := min(1, 40*float64(c.accents)/max(letters, 1))
		sum += most*wide + foreign*longForeignWord*(letters+float64(c.accents))
	}
	return int(sum) + 1
}
