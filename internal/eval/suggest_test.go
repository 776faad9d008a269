package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"skills/internal/eval/suite"
)

// TestDescribe checks that a description of any style is replaced, and nothing else.
func TestDescribe(t *testing.T) {
	for _, c := range [][2]string{
		{"name: a\ndescription: b\n", "name: a\ndescription: \"x: \\\"y\\\"\"\n"},
		{"description: |\n  b\n  c\nname: a\n", "description: \"x: \\\"y\\\"\"\nname: a\n"},
		{"description: b\n  c\nname: a\n", "description: \"x: \\\"y\\\"\"\nname: a\n"},
	} {
		if got, want := string(describe([]byte("---\n"+c[0]+"---\nBody\n"), `x: "y"`)), "---\n"+c[1]+"---\nBody\n"; got != want {
			t.Errorf("%q becomes %q, want %q", c[0], got, want)
		}
	}
}

// queriesOf returns trigger queries of both kinds.
func queriesOf(n int) (queries []suite.Query) {
	for i := range n {
		queries = append(queries, suite.Query{Query: fmt.Sprint(i), ShouldTrigger: i%2 == 0})
	}
	return queries
}

// TestSplit checks that the queries of each kind are divided 4 to 3 to 3, always in the same
// way, and that no query is in two parts.
func TestSplit(t *testing.T) {
	shown, selecting, unseen := split(queriesOf(20))
	_, _, again := split(queriesOf(20))
	seen := map[string]bool{}
	for _, q := range slices.Concat(shown, selecting, unseen) {
		seen[q.Query] = true
	}
	if len(shown) != 8 || len(selecting) != 6 || len(unseen) != 6 || len(seen) != 20 || fmt.Sprint(again) != fmt.Sprint(unseen) {
		t.Errorf("shown %v, selecting %v, unseen %v", shown, selecting, unseen)
	}
}

// measured returns results whose runs do what they should with the chance of the description.
func measured(random *rand.Rand, chance map[string]float64) func(context.Context, string, ...suite.Query) ([]QueryResult, error) {
	return func(_ context.Context, description string, queries ...suite.Query) (results []QueryResult, err error) {
		for _, q := range queries {
			r := QueryResult{Query: q}
			for range 3 {
				right := random.Float64() < chance[description]
				loaded := &caseRun{}
				if right == q.ShouldTrigger {
					loaded.loaded = []string{"s"}
				}
				r.add("s", loaded)
			}
			results = append(results, r)
		}
		return results, nil
	}
}

// TestSuggestChance has a model propose descriptions that change nothing: in at least 95 of
// 100 searches none is suggested. One that helps is.
func TestSuggestChance(t *testing.T) {
	random, n := rand.New(rand.NewPCG(5, 6)), 0
	chance := map[string]float64{"old": 0.5}
	s := suggester{
		propose: func(context.Context, string) (string, error) {
			n++
			name := fmt.Sprint("new ", n)
			chance[name] = 0.5
			return name, nil
		},
		stopped: func() bool { return false },
	}
	s.measure = measured(random, chance)
	suggested := 0
	for range 200 {
		best, _, err := s.search(t.Context(), "old", queriesOf(20))
		if err != nil {
			t.Fatal(err)
		}
		if best != "old" {
			suggested++
		}
	}
	t.Logf("%d of 200 searches without an effect suggest a description", suggested)
	if suggested > 10 {
		t.Errorf("%d of 200 searches without an effect suggest a description", suggested)
	}
	chance["old"] = 0.1
	s.propose = func(context.Context, string) (string, error) { chance["good"] = 1; return "good", nil }
	if best, found, err := s.search(t.Context(), "old", queriesOf(20)); err != nil || best != "good" {
		t.Errorf("%q, %s, %v", best, found, err)
	}
	if best, found, err := s.search(t.Context(), "old", queriesOf(8)); err != nil || best != "old" || !strings.Contains(found, "too few") {
		t.Errorf("%q, %s, %v", best, found, err)
	}
}
