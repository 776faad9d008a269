package prompt

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"skills/internal/spec/tokens"
)

// minShown is the fewest characters that descriptions are shortened to: with
// less of them a model could not choose.
const minShown = 40

// Fit says how a catalogue was shortened to keep a budget.
type Fit struct {
	Shortened int      // descriptions that were shortened
	Length    int      // characters they were shortened to
	Dropped   []string // names of the entries that were dropped, in their order
}

// FitBudget makes a catalogue keep a budget of tokens, by estimate: it cuts the
// longest descriptions to one length, the largest that keeps the budget. If that
// would leave too little of them, it drops entries from the end.
// The entries stay in their order, which is that of their importance.
func FitBudget(entries []Entry, budget int) ([]Entry, Fit) {
	frame := tokens.Estimate(EntryText(Entry{})) + 1
	// tooLarge reports whether the first entries exceed the budget with their
	// descriptions cut to a length.
	tooLarge := func(keep, length int) bool {
		sum := 0
		for _, e := range entries[:keep] {
			if sum += frame + roughTokens(e.Name, math.MaxInt) + roughTokens(e.Description, length); sum > budget {
				return true
			}
		}
		return false
	}
	if !tooLarge(len(entries), math.MaxInt) {
		return entries, Fit{}
	}
	keep := sort.Search(len(entries), func(n int) bool { return tooLarge(n+1, minShown) })
	var fit Fit
	for _, e := range entries[keep:] {
		fit.Dropped = append(fit.Dropped, e.Name)
	}
	longest := minShown
	for _, e := range entries[:keep] {
		longest = max(longest, utf8.RuneCountInString(e.Description))
	}
	length := minShown + sort.Search(longest-minShown, func(n int) bool { return tooLarge(keep, minShown+n+1) })
	kept := slices.Clone(entries[:keep])
	for i, e := range kept {
		if utf8.RuneCountInString(e.Description) > length {
			fit.Shortened, fit.Length = fit.Shortened+1, length
			kept[i].Description = shortened(e.Description, length)
		}
	}
	return kept, fit
}

// roughTokens is tokens.Estimate of the first characters of a text, to within
// some tenths, and a hundred times as fast: there may be hundreds of
// descriptions, and a model waits for them.
func roughTokens(text string, length int) int {
	ascii, others := 0, 0
	for _, r := range text {
		if ascii+others == length {
			break
		}
		if r < utf8.RuneSelf {
			ascii++
		} else {
			others++
		}
	}
	return (ascii+3)/4 + (others+1)/2 + 1
}

// shortened cuts a text to a number of characters, with an ellipsis at the end.
func shortened(text string, length int) string {
	runes := []rune(text)
	return strings.TrimRight(string(runes[:length-1]), " \t\r\n.,;:") + "…"
}
