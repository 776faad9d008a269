// Package suggest finds the name that a misspelled word probably means.
package suggest

import "strings"

// Nearest returns the candidate with the smallest edit distance to word,
// ignoring case. Ties are broken by the longest common prefix, then by order.
// It returns "" if every candidate differs in more than a third of word's
// letters.
func Nearest(word string, candidates []string) string {
	best, least, longest := "", max(len([]rune(word))/3, 1), -1
	word = strings.ToLower(word)
	for _, c := range candidates {
		name := strings.ToLower(c)
		common := 0
		for common < min(len(word), len(name)) && word[common] == name[common] {
			common++
		}
		if d := Distance(word, name); d < least || d == least && common > longest {
			best, least, longest = c, d, common
		}
	}
	return best
}

// Close is a stricter [Nearest], for names with meaningful parts: at most three
// letters and a quarter of them differ, and no digit.
func Close(word string, candidates []string) string {
	noDigit := func(r rune) bool { return r < '0' || r > '9' }
	digits := func(s string) string { return strings.Join(strings.FieldsFunc(s, noDigit), "") }
	nearest := Nearest(word, candidates)
	if nearest == "" || digits(nearest) != digits(word) || Distance(strings.ToLower(word), strings.ToLower(nearest)) > min(len([]rune(word))/4, 3) {
		return ""
	}
	return nearest
}

// Hint returns a question with the nearest candidate, or with the at most four that
// begin with the word, of three letters or more. If there is none, it returns
// otherwise, or a list of the candidates if that is empty.
func Hint(word string, candidates []string, otherwise string) string {
	nearest := Nearest(word, candidates)
	var longer []string
	for _, c := range candidates {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			longer = append(longer, c)
		}
	}
	switch {
	case nearest != "":
		return "did you mean " + nearest + "?"
	case len(longer) == 1:
		return "did you mean " + longer[0] + "?"
	case len(longer) > 1 && len(longer) <= 4:
		return "did you mean one of " + strings.Join(longer, ", ") + "?"
	case otherwise != "":
		return otherwise
	}
	return "choose one of " + strings.Join(candidates, ", ")
}

// longest is the maximum length of compared words in code points: the cost
// grows with the product of the lengths, and names are short.
const longest = 200

// Distance returns the Damerau-Levenshtein distance between two words: the
// number of insertions, deletions, substitutions and swaps of adjacent letters.
// For words of more than 200 letters it returns the length of the longer one.
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
			swapped := i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1]
			if swapped {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(y)]
}
