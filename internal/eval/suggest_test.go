package eval

import (
	"fmt"
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

// TestSplit checks that the queries of each kind are divided 60 to 40, always in the same
// way, and that each kind has a query that decides.
func TestSplit(t *testing.T) {
	var queries []suite.Query
	for i := range 15 {
		queries = append(queries, suite.Query{Query: fmt.Sprint(i), ShouldTrigger: i < 10})
	}
	shown, kept := split(queries)
	again, _ := split(queries)
	count := map[bool]int{}
	for _, q := range kept {
		count[q.ShouldTrigger]++
	}
	if len(shown) != 9 || count[true] != 4 || count[false] != 2 || fmt.Sprint(again) != fmt.Sprint(shown) {
		t.Errorf("shown: %v, decide: %v", shown, kept)
	}
	shown, kept = split(queries[9:11])
	if len(shown) != 0 || len(kept) != 2 {
		t.Errorf("one of each: shown %v, decide %v", shown, kept)
	}
}
