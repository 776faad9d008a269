package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChecksOfOneArm checks that a case that only the arm with the skill can pass is not
// counted as an error.
func TestChecksOfOneArm(t *testing.T) {
	alone := `{"expectations":[{"text":"a","passed":true,"evidence":"","arm":"with"}]}`
	b := read(t, written(t, map[string]string{
		"eval-1/with_skill/grading.json": alone, "eval-2/with_skill/grading.json": pass, "eval-2/without_skill/grading.json": fail,
	}))
	if s := b.Statistics; s.Errored != 0 || s.Cases != 1 || s.Scored != 2 || b.Cases[0].Excluded != "no assertion that both arms can pass" {
		t.Errorf("%+v, excluded: %s", s, b.Cases[0].Excluded)
	}
}

// TestCompare checks that only cases with the same assertions are compared.
func TestCompare(t *testing.T) {
	at := func(content map[string]string) []Run {
		runs, _, err := Read(written(t, content))
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	b := Compare(
		at(map[string]string{"eval-1/with_skill/grading.json": fail, "eval-2/with_skill/grading.json": pass, "eval-3/with_skill/grading.json": pass}),
		at(map[string]string{"eval-1/with_skill/grading.json": pass, "eval-2/with_skill/grading.json": both, "eval-4/with_skill/grading.json": pass,
			"eval-1/without_skill/grading.json": pass}), Meta{})
	var got []string
	for _, c := range b.Cases {
		got = append(got, string(c.ID)+" "+signed(c.Delta)+c.Excluded)
	}
	want := []string{"1 +1.00", "2 the assertions differ", "3 no scored run with the skill", "4 no scored run of the baseline"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := b.Statistics; s.Cases != 1 || s.Errored != 3 || s.Wins != 1 {
		t.Errorf("statistics: %+v", s)
	}
}
