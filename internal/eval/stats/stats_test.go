package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestQuantile compares the quantile with the printed tables of Student's t.
func TestQuantile(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.7062, 2: 4.3027, 3: 3.1824, 5: 2.5706, 7: 2.3646, 9: 2.2622, 10: 2.2281, 19: 2.0930, 30: 2.0423, 59: 2.0010} {
		near(t, fmt.Sprint("quantile with ", freedom), quantile(freedom), want, 0.00005)
	}
}

// TestPaired checks worked examples. The ten differences of Student's sleep data have the
// mean 1.58, the t interval 0.70 to 2.46, and the exact sign-flip p 4/1024; here they are
// a tenth of that.
func TestPaired(t *testing.T) {
	sleep := Paired([]float64{.12, .24, .13, .13, 0, .10, .18, .08, .46, .14})
	near(t, "mean", *sleep.Delta, .158, 1e-9)
	near(t, "low", sleep.CI[0], .0700114, 1e-6)
	near(t, "high", sleep.CI[1], .2459886, 1e-6)
	near(t, "p", *sleep.P, 4.0/1024, 1e-12)
	near(t, "mde", *sleep.MDE80, 3.21*.1229995/math.Sqrt(10), 1e-5)
	if sleep.Wins != 9 || sleep.Ties != 1 || sleep.Losses != 0 || sleep.Verdict != Better {
		t.Errorf("sleep: %+v", sleep)
	}
	for name, c := range map[string]struct {
		diffs   []float64
		verdict string
		p       float64
	}{
		"no case":                     {nil, Inconclusive, 1},
		"one case":                    {[]float64{1}, Inconclusive, 1},
		"five equal wins":             {[]float64{1, 1, 1, 1, 1}, Inconclusive, 0.0625},
		"six equal wins":              {[]float64{1, 1, 1, 1, 1, 1}, Better, 0.03125},
		"six equal losses":            {[]float64{-1, -1, -1, -1, -1, -1}, Worse, 0.03125},
		"six ties":                    {make([]float64, 6), Inconclusive, 1},
		"sixty ties":                  {make([]float64, 60), Inconclusive, 1},
		"thirds tie":                  {[]float64{2.0 / 3, 2.0 / 3, 1 - 1.0/3, 2.0 / 3, 1 - 1.0/3, 2.0 / 3, 2.0/3 - 1, -1.0 / 3}, Inconclusive, 10.0 / 128},
		"five ties":                   {make([]float64, 5), Inconclusive, 1},
		"small differences":           {[]float64{.01, -.01, .02, -.02, 0, .01}, NoDifference, 1},
		"interval and p must agree":   {[]float64{.5, .5, .5, .5, .5, 0}, Inconclusive, 0.0625},
		"wide":                        {[]float64{1, -1, 1, 0, 0, 1}, Inconclusive, 0.625},
		"losses of different size":    {[]float64{-.2, -.4, -.6, -.3, -.5, -.1, -.7}, Worse, 2.0 / 128},
		"a case does not count twice": {[]float64{.5, .5}, Inconclusive, 0.5},
	} {
		r := Paired(c.diffs)
		p := 1.0
		if r.P != nil {
			p = *r.P
		}
		if r.Verdict != c.verdict || math.Abs(p-c.p) > 1e-12 || r.Cases != len(c.diffs) {
			t.Errorf("%s: %+v, want %s, p %v", name, r, c.verdict, c.p)
		}
	}
	if r := Paired([]float64{1, 1}); r.CI != nil || r.MDE80 != nil {
		t.Errorf("two equal differences have the interval %v, want none", *r.CI)
	}
	if r := Paired([]float64{1, 1, -1}); *r.CI != [2]float64{-1, 1} {
		t.Errorf("the interval %v exceeds the largest differences possible", *r.CI)
	}
}

// TestMDE checks that no effect is named where none can be found: with too few cases for a
// verdict, or beyond the greatest difference.
func TestMDE(t *testing.T) {
	for _, diffs := range [][]float64{{0, .1, .2, .1, .2}, {1, -1, 1, -1, 1, -1}} {
		if r := Paired(diffs); r.CI == nil || r.MDE80 != nil {
			t.Errorf("%v: %+v", diffs, r)
		}
	}
}

// TestPower simulates experiments with the effect that as many cases are said to find: about
// 80 of 100 find it.
func TestPower(t *testing.T) {
	const experiments = 1000
	for _, cases := range []int{6, 7, 9, 12} {
		random, found := rand.New(rand.NewPCG(3, uint64(cases))), 0
		effect := Power80(cases) / math.Sqrt(float64(cases))
		for range experiments {
			diffs := make([]float64, cases)
			for i := range diffs {
				diffs[i] = effect + random.NormFloat64()
			}
			if Paired(diffs).Verdict == Better {
				found++
			}
		}
		near(t, fmt.Sprintf("the power with %d cases", cases), float64(found)/experiments, 0.8, 0.04)
	}
}

// TestSignFlip compares random assignments, used with more than 20 cases, with the exact
// number: a tie doubles both counts, so it does not change p. The estimate is repeatable.
func TestSignFlip(t *testing.T) {
	diffs := []float64{.3, .5, -.2, .4, .1, -.1, .6, .2}
	padded := append(diffs, make([]float64, 30)...)
	exact, estimate := signFlip(diffs), signFlip(padded)
	near(t, "the estimate", estimate, exact, 3*math.Sqrt(exact*(1-exact)/draws))
	if exact == estimate {
		t.Error("both p are exact")
	}
	if again := signFlip(padded); again != estimate {
		t.Errorf("the estimate is %v, then %v", estimate, again)
	}
	many := make([]float64, 70)
	for i := range many {
		many[i] = 1
	}
	near(t, "p of 70 wins", signFlip(many), 1/(draws+1), 1e-12)
}

// TestNoEffect simulates experiments without any effect, three runs a case in both arms:
// "better" is at most 2.5 % plus the error of the simulation.
func TestNoEffect(t *testing.T) {
	for cases, experiments := range map[int]int{6: 3000, 8: 3000, 12: 3000, 20: 400} {
		limit := 0.025 + 2*math.Sqrt(0.025*0.975/float64(experiments))
		random, better := rand.New(rand.NewPCG(7, uint64(cases))), 0
		for range experiments {
			diffs := make([]float64, cases)
			for i := range diffs {
				rate := random.Float64() // of the case, the same in both arms
				for range 3 {
					if random.Float64() < rate {
						diffs[i] += 1.0 / 3
					}
					if random.Float64() < rate {
						diffs[i] -= 1.0 / 3
					}
				}
			}
			if Paired(diffs).Verdict == Better {
				better++
			}
		}
		rate := float64(better) / float64(experiments)
		t.Logf("%d cases: better in %.1f %%", cases, 100*rate)
		if rate > limit {
			t.Errorf("%d cases: better in %v, want at most %v", cases, rate, limit)
		}
	}
}

// TestWilson checks published intervals, which stay in 0 to 1.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		passed, total int
		low, high     float64
	}{{0, 0, 0, 1}, {0, 10, 0, 0.27753}, {10, 10, 0.72247, 1}, {81, 263, 0.25529, 0.36621}, {1, 29, 0.00611, 0.17175}} {
		low, high := Wilson(c.passed, c.total)
		near(t, "low", low, c.low, 0.00001)
		near(t, "high", high, c.high, 0.00001)
	}
}

// TestPass checks pass@k and pass^k: of two runs out of three with one success, one in
// three pairs has only failures, and none has only successes.
func TestPass(t *testing.T) {
	near(t, "pass@2", PassAny(1, 3, 2), 2.0/3, 1e-12)
	near(t, "pass^2", PassAll(1, 3, 2), 0, 1e-12)
	near(t, "pass^2 of 2", PassAll(2, 3, 2), 1.0/3, 1e-12)
	near(t, "pass@3 of 3", PassAny(3, 3, 3), 1, 1e-12)
	near(t, "pass@1", PassAny(2, 5, 1), 0.4, 1e-12)
}
