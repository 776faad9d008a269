package secrets

// Prefixes tells which of many words may start at a byte of a text, with one look-up a
// byte.
type Prefixes struct {
	group [1 << 16]uint8 // index in words; 0 for none
	words [][]int
}

// NewPrefixes returns the table of these words. Each has at least two bytes, and they start
// with at most 255 different pairs.
func NewPrefixes(words []string) *Prefixes {
	t := &Prefixes{words: make([][]int, 1)}
	for i, w := range words {
		pair := uint16(w[0])<<8 | uint16(w[1])
		if t.group[pair] == 0 {
			t.group[pair] = uint8(len(t.words))
			t.words = append(t.words, nil)
		}
		at := t.group[pair]
		t.words[at] = append(t.words[at], i)
	}
	return t
}

// Starting returns the indexes of the words that start with two bytes, in the order of
// NewPrefixes; nil for most bytes.
func (t *Prefixes) Starting(a, b byte) []int {
	if group := t.group[uint16(a)<<8|uint16(b)]; group != 0 {
		return t.words[group]
	}
	return nil
}
