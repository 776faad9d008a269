package prompt_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/prompt"
	"skills/internal/spec/tokens"
)

func many(n, length int) []prompt.Entry {
	var entries []prompt.Entry
	for i := range n {
		words := strings.Repeat(fmt.Sprintf("Does the thing of number %d with files. ", i), length/30+1)
		entries = append(entries, prompt.Entry{Name: fmt.Sprintf("skill-%04d", i), Description: strings.TrimSpace(words[:length])})
	}
	return entries
}

func total(entries []prompt.Entry) int {
	sum := 0
	for _, e := range entries {
		sum += tokens.Estimate(prompt.EntryText(e)) + 1
	}
	return sum
}

// TestFitBudget checks that beyond the budget descriptions are shortened evenly, that
// entries are then dropped from the end, and that the result reports both.
func TestFitBudget(t *testing.T) {
	mixed := append(many(150, 400), many(10, 30)...)
	for name, tt := range map[string]struct {
		entries        []prompt.Entry
		shortened      bool
		atLeast, below int // entries that are kept
	}{
		"none":             {nil, false, 0, 1},
		"fits":             {many(50, 100), false, 50, 51},
		"shortened":        {many(150, 400), true, 150, 151},
		"short ones stay":  {mixed, true, 160, 161},
		"too many":         {many(3000, 200), true, 200, 500},
		"short, too many":  {many(3000, 20), false, 200, 600},
		"one that is long": {append(many(10, 50), prompt.Entry{Name: "long", Description: strings.Repeat("word ", 20_000)}), true, 11, 12},
		"many bytes":       {[]prompt.Entry{{Name: "cjk", Description: strings.Repeat("技能", 3000)}}, false, 1, 2},
	} {
		kept, fit := prompt.FitBudget(tt.entries, 8000)
		if len(kept) < tt.atLeast || len(kept) >= tt.below || len(kept)+len(fit.Dropped) != len(tt.entries) {
			t.Errorf("%s: %d of %d kept, %d dropped", name, len(kept), len(tt.entries), len(fit.Dropped))
		}
		if got := total(kept); got > 8000*11/10 {
			t.Errorf("%s: still %d tokens", name, got)
		}
		if (fit.Shortened > 0) != tt.shortened {
			t.Errorf("%s: %d shortened", name, fit.Shortened)
		}
		count := 0
		for i, e := range kept {
			if e.Name != tt.entries[i].Name {
				t.Fatalf("%s: entry %d is %s, want %s", name, i, e.Name, tt.entries[i].Name)
			}
			if e.Description == tt.entries[i].Description {
				if n := utf8.RuneCountInString(e.Description); fit.Shortened > 0 && n > fit.Length {
					t.Errorf("%s: %s has %d characters, others were cut to %d", name, e.Name, n, fit.Length)
				}
				continue
			}
			count++
			if n := utf8.RuneCountInString(e.Description); n > fit.Length || !strings.HasSuffix(e.Description, "…") {
				t.Errorf("%s: %q has %d characters, want at most %d and an ellipsis", name, e.Description, n, fit.Length)
			}
		}
		if count != fit.Shortened {
			t.Errorf("%s: reported %d, shortened %d", name, fit.Shortened, count)
		}
		again, sameFit := prompt.FitBudget(tt.entries, 8000)
		if !reflect.DeepEqual(again, kept) || !reflect.DeepEqual(sameFit, fit) {
			t.Errorf("%s: second run differs", name)
		}
	}
}

func BenchmarkFitBudget(b *testing.B) {
	entries := many(500, 120)
	for b.Loop() {
		prompt.FitBudget(entries, 8000)
	}
}
