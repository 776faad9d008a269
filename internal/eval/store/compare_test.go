package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/testing/filetest"
)

// side returns the runs of a folder with the files of cases.
func side(t *testing.T, model string, content map[string]string) Stored {
	t.Helper()
	content["benchmark.json"] = `{"metadata":{"skill_name":"sums","executor_model":"` + model + `"}}`
	s, err := Open(filetest.Write(t, t.TempDir(), content))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCompare checks that only shared cases with the same assertions are compared, and that
// the others are counted.
func TestCompare(t *testing.T) {
	c := Compare(
		side(t, "m", map[string]string{"eval-1/with_skill/grading.json": fail, "eval-2/with_skill/grading.json": pass, "eval-3/with_skill/grading.json": pass,
			"eval-1/old_skill/grading.json": pass}),
		side(t, "m", map[string]string{"eval-1/with_skill/grading.json": pass, "eval-2/with_skill/grading.json": both, "eval-4/with_skill/grading.json": pass}))
	var got []string
	for _, one := range c.Cases {
		got = append(got, string(one.ID)+" "+signedText(one.Delta)+one.Excluded)
	}
	if diff := cmp.Diff([]string{"1 +1.00", "2 the assertions differ"}, got); diff != "" {
		t.Error(diff)
	}
	if got := fmt.Sprint(c.OnlyBefore, c.OnlyAfter, c.Different); got != "[3] [4] [2]" {
		t.Error(got)
	}
	if c.With.Cases != 1 || c.With.Wins != 1 || c.Lift.Cases != 0 || !strings.Contains(c.Conclusions[0], "cannot be compared") {
		t.Errorf("%+v", c)
	}
}

// TestNoLongerHelps checks what is said of a skill that helps the first model: of each
// verdict for the second one.
func TestNoLongerHelps(t *testing.T) {
	// Of twelve cases, 0 to 4 have this score in an arm.
	graded := func(passed, failed int) string {
		var list []string
		for i := range passed + failed {
			list = append(list, fmt.Sprintf(`{"text":"a%d","passed":%v,"evidence":""}`, i, i < passed))
		}
		return `{"expectations":[` + strings.Join(list, ",") + `]}`
	}
	model := func(name string, with, without func(i int) int) Stored {
		files := map[string]string{}
		for i := range 12 {
			files[fmt.Sprintf("eval-%d/with_skill/grading.json", i)] = graded(with(i), 20-with(i))
			files[fmt.Sprintf("eval-%d/without_skill/grading.json", i)] = graded(without(i), 20-without(i))
		}
		return side(t, name, files)
	}
	always := func(n int) func(int) int { return func(int) int { return n } }
	old := model("old", func(i int) int { return 17 + i%2 }, always(2))
	for _, c := range []struct {
		name          string
		with, without func(int) int
		verdict, want string
		noLonger      bool
	}{
		{"better", always(19), func(i int) int { return 3 + i%2 }, "better", "The skill helps old, +0.78 (95 % interval +0.76 to +0.79), and new, ", false},
		{"worse", func(i int) int { return 2 + i%2 }, always(19), "worse", "The skill no longer helps new: its answers are worse with it, -0.82", true},
		{"no difference", always(19), func(i int) int { return 18 + i%3 }, "no difference", "The skill no longer helps new: it makes no difference, +0.00", true},
		{"inconclusive", always(20), func(i int) int { return 20 - i%12/11*18 }, "inconclusive", "With new no help is seen any more, +0.07", true},
		{"few losses", func(i int) int { return 20 - i%3/2*10 }, always(20), "inconclusive", "and its answers may be worse with it", true},
		{"ties", always(20), always(20), "inconclusive", "so it may still help", true},
	} {
		got := Compare(old, model("new", c.with, c.without))
		text := strings.Join(got.Conclusions, " ")
		if got.After.Lift.Verdict != c.verdict || got.NoLonger != c.noLonger || !strings.Contains(text, c.want) || got.Before.Name != "old" {
			t.Errorf("%s: %s, %v, %s", c.name, got.After.Lift.Verdict, got.NoLonger, text)
		}
		if less := strings.Contains(text, "It helps new less than old."); less != (c.name != "better") {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
