package secrets

import (
	"slices"
	"testing"
)

// TestPrefixes: words are found by their first two bytes, in their order.
func TestPrefixes(t *testing.T) {
	table := NewPrefixes([]string{"sk-", "ghp_", "sk_live_", "gh"})
	for pair, want := range map[string][]int{"sk": {0, 2}, "gh": {1, 3}, "ks": nil, "s-": nil, "\x00\x00": nil} {
		if got := table.Starting(pair[0], pair[1]); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", pair, got, want)
		}
	}
}
