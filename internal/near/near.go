// Package near finds the name that somebody probably meant. It knows nothing
// of what the names stand for.
package near

import "strings"

// Nearest returns the candidate that is written most like word without regard
// to case, the first of several that are equally near, or "" where none comes
// close (more than a third of the word would have to change).
func Nearest(word string, candidates []string) string {
	best, most := "", max(len([]rune(word))/3, 1)
	for _, c := range candidates {
		if d := Distance(strings.ToLower(word), strings.ToLower(c)); d <= most {
			best, most = c, d-1
		}
	}
	return best
}

// longest is the length in code points from which words are not compared: the
// cost grows with the product of the lengths, and names are short.
const longest = 200

// Distance is the number of edits between two words: a letter more, less or
// other, or two neighbours swapped. Words of more than 200 letters are as far
// apart as they are long.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > longest || len(y) > longest {
		return max(len(x), len(y))
	}
	before, prev, cur := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(y)]
}
