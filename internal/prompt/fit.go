package prompt

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"skills/internal/spec/tokens"
)

// minShown is the minimum length of shortened descriptions, in characters: a
// model could not choose from less.
const minShown = 40

// Fit describes how a catalogue was shortened to fit a budget.
type Fit struct {
	Shortened int      // number of shortened descriptions
	Length    int      // their maximum length in characters
	Dropped   []string // names of the dropped entries, in order
}

// Budget is the estimated number of tokens that the catalogue may add to every request.
// One that is larger is shortened to SearchBudget, because the model can then search for
// the rest.
const (
	Budget       = 8000
	SearchBudget = 2000
)

// FitCatalogue returns the entries that a request lists.
func FitCatalogue(entries []Entry) ([]Entry, Fit) {
	kept, fit := FitBudget(entries, Budget)
	if fit.Shortened == 0 && len(fit.Dropped) == 0 {
		return kept, fit
	}
	return FitBudget(entries, SearchBudget)
}

// FitBudget shortens a catalogue to an estimated number of tokens: it truncates
// descriptions to the greatest common length that fits. If that is too short,
// it drops entries from the end. The entries are ordered by importance.
func FitBudget(entries []Entry, budget int) ([]Entry, Fit) {
	frame := tokens.Estimate(EntryText(Entry{})) + 1
	// tooLarge reports whether the first keep entries exceed the budget with
	// descriptions truncated to length.
	tooLarge := func(keep, length int) bool {
		sum := 0
		for _, e := range entries[:keep] {
			sum += frame + roughTokens(e.Name, math.MaxInt) + roughTokens(e.Description, length)
			if sum > budget {
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

// roughTokens approximates tokens.Estimate of the first characters of a text a
// hundred times as fast, because a model waits for hundreds of descriptions.
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

// shortened truncates a text to a number of characters, including an ellipsis.
func shortened(text string, length int) string {
	runes := []rune(text)
	return strings.TrimRight(string(runes[:length-1]), " \t\r\n.,;:") + "…"
}
