package search

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// vocabulary holds the words of names, descriptions, headings and the thesaurus, to find what
// a misspelled word may mean. Words of bodies are not among them: those are full of rare
// identifiers.
type vocabulary struct {
	known    map[string]bool
	byLength [maxWord + 1][]spelling
}

type spelling struct {
	text    string
	letters uint32 // which letters it has, a bit for each
}

// Limits of a misspelled word, in letters.
const (
	minMisspelled = 4 // in shorter words, one edit makes another word
	minTwoEdits   = 7
)

func newVocabulary(forms map[string]*form, further map[string]bool) *vocabulary {
	v := &vocabulary{known: maps.Clone(further)}
	for text, f := range forms {
		if f.leading {
			v.known[text] = true
		}
	}
	for text := range v.known {
		if lowerCase(text) {
			v.byLength[len(text)] = append(v.byLength[len(text)], spelling{text, letters(text)})
		}
	}
	for _, list := range v.byLength {
		slices.SortFunc(list, func(a, b spelling) int { return cmp.Compare(a.text, b.text) })
	}
	return v
}

// near returns the known words with the fewest edits from a word, if that is one edit, or
// two for long words.
func (v *vocabulary) near(text string) (found []string, distance int) {
	if len(text) < minMisspelled || len(text) > maxWord || !lowerCase(text) {
		return nil, 0
	}
	limit := 1
	if len(text) >= minTwoEdits {
		limit = 2
	}
	own := letters(text)
	for length := len(text) - limit; length <= min(maxWord, len(text)+limit); length++ {
		for _, s := range v.byLength[length] {
			if tooDifferent := bits.OnesCount32(s.letters^own) > 2*limit; tooDifferent {
				continue
			}
			d := edits(text, s.text, limit)
			if d < limit {
				limit, found = d, nil
			}
			if d == limit {
				found = append(found, s.text)
			}
		}
	}
	return found, limit
}

// split returns the two known words that a word is made of, the first as long as possible.
func (v *vocabulary) split(text string) []string {
	const minPart = 3
	for at := len(text) - minPart; at >= minPart; at-- {
		if v.known[text[:at]] && v.known[text[at:]] {
			return []string{text[:at], text[at:]}
		}
	}
	return nil
}

// lowerCase reports whether a word is of the letters a to z.
func lowerCase(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
}

func letters(text string) (set uint32) {
	for i := range len(text) {
		set |= 1 << (text[i] - 'a')
	}
	return set
}

// edits returns how many insertions, deletions, replacements and swaps of neighbours turn
// one word into another, or a number above the limit. Both have at most maxWord bytes.
func edits(a, b string, limit int) int {
	var rows [3][maxWord + 1]int
	before, last, now := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			now[j] = min(last[j]+1, now[j-1]+1, replaced)
			inside := i > 1 && j > 1
			if inside && a[i-1] == b[j-2] && a[i-2] == b[j-1] { // two letters swapped
				now[j] = min(now[j], before[j-2]+1)
			}
			least = min(least, now[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
