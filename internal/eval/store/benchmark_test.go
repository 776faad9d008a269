package store

import "testing"

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
