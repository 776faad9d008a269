package prompt

import (
	"slices"
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
	costs := make([]entryCost, len(entries))
	frame := tokens.Estimate(EntryText(Entry{})) + 1
	total := 0
	for i, e := range entries {
		costs[i] = entryCost{frame + roughTokens(e.Name), roughTokens(e.Description), utf8.RuneCountInString(e.Description)}
		total += costs[i].at(costs[i].length)
	}
	if total <= budget {
		return entries, Fit{}
	}
	keep := len(entries)
	for total = sumAt(costs, minShown); keep > 0 && total > budget; keep-- {
		total -= costs[keep-1].at(minShown)
	}
	var fit Fit
	for _, e := range entries[keep:] {
		fit.Dropped = append(fit.Dropped, e.Name)
	}
	longest := 0
	for _, c := range costs[:keep] {
		longest = max(longest, c.length)
	}
	low, high := minShown, longest // low keeps the budget
	for low < high {
		if middle := (low + high + 1) / 2; sumAt(costs[:keep], middle) <= budget {
			low = middle
		} else {
			high = middle - 1
		}
	}
	kept := slices.Clone(entries[:keep])
	for i := range kept {
		if costs[i].length > low {
			fit.Shortened, fit.Length = fit.Shortened+1, low
			kept[i].Description = shortened(kept[i].Description, low)
		}
	}
	return kept, fit
}

// entryCost is what an entry costs: its frame, and its description by length.
type entryCost struct {
	frame, description int // tokens
	length             int // of the description, in characters
}

// roughTokens is tokens.Estimate to within some tenths, and a hundred times
// as fast: there may be hundreds of descriptions, and a model waits for them.
func roughTokens(text string) int {
	ascii, others := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			others++
		}
	}
	return (ascii+3)/4 + (others+1)/2 + 1
}

// at is the cost with the description cut to a length. A part of a text costs
// that part of it: counting again for every length would take too long.
func (c entryCost) at(length int) int {
	if length >= c.length {
		return c.frame + c.description
	}
	return c.frame + (c.description*length+c.length-1)/c.length
}

func sumAt(costs []entryCost, length int) int {
	sum := 0
	for _, c := range costs {
		sum += c.at(length)
	}
	return sum
}

// shortened cuts a text to a number of characters, with an ellipsis at the end.
func shortened(text string, length int) string {
	runes := []rune(text)
	return strings.TrimRight(string(runes[:length-1]), " \t\r\n.,;:") + "…"
}
