package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWithout checks what is said of data: ties are no proof until a loss would have shown.
func TestWithout(t *testing.T) {
	full := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	less := func(n, lost int) []float64 {
		return append(slices.Repeat([]float64{0}, lost), full(n-lost)...)
	}
	alternating := func(n int, by float64) (all []float64) {
		for i := range n {
			all = append(all, 0.5+by*float64(1-2*(i%2)))
		}
		return all
	}
	for _, c := range []struct {
		name        string
		whole, part []float64
		want        string
	}{
		{"no case", nil, nil, "unknown 0 1.000"},
		{"one tie", full(1), full(1), "no loss seen 1 0.975 36"},
		{"six ties", full(6), full(6), "no loss seen 6 0.459 36"},
		{"35 ties", full(35), full(35), "no loss seen 35 0.100 36"},
		{"36 ties", full(36), full(36), "can go 36 0.097 0"},
		{"36 cases that cannot lose", make([]float64, 36), make([]float64, 36), "no loss seen 0 1.000"},
		{"five losses of 5", full(5), less(5, 5), "unknown 5 1.000"},
		{"six losses of 6", full(6), less(6, 6), "hurts 6 1.000 0"},
		{"one loss of 12", full(12), less(12, 1), "unknown 12 0.385"},
		{"one loss of 60", full(60), less(60, 1), "can go 60 0.089 0"},
		{"small noise", slices.Repeat([]float64{0.5}, 12), alternating(12, 0.1), "can go 12 0.066 0"},
		{"large noise", slices.Repeat([]float64{0.5}, 12), alternating(12, 0.5), "no loss seen 12 0.332"},
		{"better without", slices.Repeat([]float64{0.5}, 12), alternating(12, 0.1)[0:12:12], "can go 12"},
	} {
		l := Without(c.whole, c.part, 0.1)
		got := fmt.Sprintf("%s %d %.3f %d", l.Outcome, l.Able, l.Missed, l.Needed)
		if len(got) < len(c.want) || got[:len(c.want)] != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		isOpen := l.Outcome == NoLoss || l.Outcome == Unknown
		if isOpen != (l.Needed > l.Cases) {
			t.Errorf("%s: %d cases are needed, and there are %d", c.name, l.Needed, l.Cases)
		}
	}
}

// TestCanGo repeats experiments in which leaving out a part loses the margin: that it can go
// is said in at most 2.5 % of them, and their own error. Where nothing is lost, it is said
// with as many cases as are said to be needed.
func TestCanGo(t *testing.T) {
	const margin, experiments = 0.1, 4000
	random := rand.New(rand.NewPCG(5, 6))
	runs := func(rate float64) (score float64) { // the mean of three
		for range 3 {
			if random.Float64() < rate {
				score += 1.0 / 3
			}
		}
		return score
	}
	said := func(n int, one func() (whole, part float64)) float64 {
		count := 0
		for range experiments {
			var diffs []float64
			losses, differ, able := 0, 0, 0
			for range n {
				whole, part := one()
				diffs = append(diffs, part-whole)
				if whole > tolerance {
					able++
				}
				if part < whole-tolerance {
					losses++
				}
				if math.Abs(part-whole) > tolerance {
					differ++
				}
			}
			if canGo(couldMiss(diffs, losses, able, vary(differ, n)), able, margin) { // as in Without
				count++
			}
		}
		return float64(count) / experiments
	}
	limit := 0.025 + 2.6*math.Sqrt(0.025*0.975/experiments)
	for name, one := range map[string]func() (whole, part float64){
		"a tenth of the cases lose all": func() (float64, float64) {
			if random.Float64() < margin {
				return 1, 0
			}
			return 1, 1
		},
		"every case loses a little": func() (float64, float64) { return runs(0.6), runs(0.6 - margin) },
		"some lose, fewer win": func() (float64, float64) {
			switch x := random.Float64(); {
			case x < 0.15:
				return 1, 0
			case x < 0.2:
				return 0, 1
			}
			return 1, 1
		},
		"a fifth of the cases lose half": func() (float64, float64) {
			if random.Float64() < 0.2 {
				return 1, runs(0.5)
			}
			return 1, 1
		},
		"good cases lose": func() (float64, float64) { return runs(0.95), runs(0.95 - margin) },
	} {
		for _, n := range []int{6, 12, 24, 40, 60} {
			if rate := said(n, one); rate > limit {
				t.Errorf("%s: with %d cases, %.1f %% can go", name, n, 100*rate)
			}
		}
	}
	if rate := said(36, func() (float64, float64) { return 1, 1 }); rate != 1 {
		t.Errorf("ties: %.2f", rate)
	}
	same := func() (float64, float64) { return runs(0.6), runs(0.6) }
	var diffs []float64
	for range experiments {
		whole, part := same()
		diffs = append(diffs, part-whole)
	}
	n := needed(diffs, true, 1, margin)
	if rate := said(n, same); rate < 0.76 || rate > 0.84 {
		t.Errorf("%d cases find %.2f", n, rate)
	}
}
