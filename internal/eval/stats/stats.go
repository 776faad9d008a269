// Package stats decides from the differences between two arms whether one is better.
// The unit is the case: runs of a case are averaged before they get here.
package stats

import (
	"math"
	"math/rand/v2"
)

// The verdicts of a comparison.
const (
	Better       = "better"
	Worse        = "worse"
	NoDifference = "no difference"
	Inconclusive = "inconclusive"
)

const (
	// MinCases is the fewest cases with a verdict: with five, the smallest two-sided p of a
	// sign flip is 0.0625.
	MinCases   = 6
	maxExact   = 20   // cases up to which every assignment of signs is counted
	draws      = 1e5  // random assignments beyond that
	equivalent = 0.05 // differences up to this are none
	alpha      = 0.05
	tolerance  = 1e-6 // of sums of differences: means of runs tie although they are not exact
)

// Result compares two arms over cases; nil numbers are unknown.
type Result struct {
	Cases   int         `json:"n_cases"`
	Delta   *float64    `json:"delta"`      // mean difference
	CI      *[2]float64 `json:"ci95"`       // of the mean difference
	P       *float64    `json:"p_signflip"` // two-sided
	Wins    int         `json:"wins"`
	Ties    int         `json:"ties"`
	Losses  int         `json:"losses"`
	Verdict string      `json:"verdict"` // Better, Worse, NoDifference or Inconclusive
	MDE80   *float64    `json:"mde80"`   // effect that as many cases find in 80 % of experiments, if there is one
}

// Paired compares two arms by the difference of each case, from -1 to 1 and positive if the
// first arm is better. Differences must not be rounded, or sums that are equal differ. The
// verdict is Better or Worse only if the t interval excludes 0 and the sign-flip test
// agrees. It is NoDifference only if the differences vary, because the interval of equal
// ones is their mean, whatever the truth is. That interval needs as many cases as a verdict.
func Paired(diffs []float64) Result {
	r, n := Result{Cases: len(diffs), Verdict: Inconclusive}, float64(len(diffs))
	mean, deviation := Spread(diffs)
	for _, d := range diffs {
		switch {
		case d > tolerance:
			r.Wins++
		case d < -tolerance:
			r.Losses++
		default:
			r.Ties++
		}
	}
	if r.Cases > 0 {
		r.Delta, r.P = new(Round(mean)), new(signFlip(diffs))
	}
	err := deviation / math.Sqrt(n)
	if r.Cases < 2 || err < tolerance && r.Cases < MinCases {
		return r
	}
	half := quantile(r.Cases-1) * err
	low, high := mean-half, mean+half
	r.CI = &[2]float64{Round(max(-1, low)), Round(min(1, high))}
	if effect := Power80(r.Cases) * err; r.Cases >= MinCases && effect <= 1 && err > tolerance {
		r.MDE80 = new(Round(effect))
	}
	switch {
	case r.Cases < MinCases:
	case low > tolerance && *r.P < alpha:
		r.Verdict = Better
	case high < -tolerance && *r.P < alpha:
		r.Verdict = Worse
	case err > tolerance && low >= -equivalent && high <= equivalent:
		r.Verdict = NoDifference
	}
	return r
}

// Power80 returns the effect, in standard errors, that so many cases find in 80 of 100
// experiments. There is none with fewer cases than a verdict needs. The numbers are of
// simulated experiments with both tests; those between are interpolated.
func Power80(cases int) float64 {
	known := [][2]float64{{6, 4.44}, {7, 3.61}, {8, 3.38}, {10, 3.21}, {12, 3.13}, {20, 2.88}}
	n := float64(cases)
	for i := range known[1:] {
		a, b := known[i], known[i+1]
		if n >= a[0] && n <= b[0] {
			return a[1] + (b[1]-a[1])*(n-a[0])/(b[0]-a[0])
		}
	}
	if cases < MinCases {
		return math.Inf(1)
	}
	return 2.8 + 1.6/n // 2.8 is the sum of the normal quantiles
}

// CasesFor returns how many cases find a difference in 80 of 100 experiments if the
// differences of cases have this standard deviation; 0 for more than 10,000.
func CasesFor(difference, deviation float64) int {
	for n := MinCases; n <= 10_000; n++ {
		if Power80(n)*deviation/math.Sqrt(float64(n)) <= difference {
			return n
		}
	}
	return 0
}

// Needed is how many cases find a difference in 80 of 100 experiments, at three runs each.
type Needed struct {
	Difference float64
	Cases      int
}

// Power returns the numbers of cases that differences need.
func Power() []Needed { return []Needed{{0.5, 8}, {0.3, 16}, {0.2, 36}, {0.1, 130}} }

// Round keeps the six digits after the point that mean something.
func Round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Mean returns the mean of values, of which there is at least one.
func Mean(values []float64) (mean float64) {
	for _, v := range values {
		mean += v
	}
	return mean / float64(len(values))
}

// Spread returns the mean and the standard deviation of a sample.
func Spread(values []float64) (mean, deviation float64) {
	mean = Mean(values)
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(max(1, len(values)-1)))
}

// Sign returns the two-sided p of the exact sign test of wins against losses, nil without
// any, and a verdict: the direction if p is below 0.05, else Inconclusive.
func Sign(wins, losses int) (p *float64, verdict string) {
	n := wins + losses
	if n == 0 {
		return nil, Inconclusive
	}
	logFactorial := func(k int) float64 { v, _ := math.Lgamma(float64(k + 1)); return v }
	tail := 0.0
	for k := max(wins, losses); k <= n; k++ {
		tail += math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) - float64(n)*math.Ln2)
	}
	value := Round(min(1, 2*tail))
	switch {
	case value >= alpha:
		verdict = Inconclusive
	case wins > losses:
		verdict = Better
	default:
		verdict = Worse
	}
	return &value, verdict
}

// signFlip returns the share of all assignments of signs to diffs whose sum is at least
// as far from 0; beyond maxExact cases, an estimate from random ones that is never 0.
func signFlip(diffs []float64) float64 {
	sum := 0.0
	for _, d := range diffs {
		sum += d
	}
	least := math.Abs(sum) - tolerance
	if len(diffs) > maxExact {
		random, extreme := rand.New(rand.NewPCG(1, 2)), 1
		for range int(draws) {
			sum := 0.0
			for _, d := range diffs {
				sum += d * float64(2*random.IntN(2)-1)
			}
			if math.Abs(sum) >= least {
				extreme++
			}
		}
		return float64(extreme) / (draws + 1)
	}
	return float64(countExtreme(diffs, 0, least)) / float64(int(1)<<len(diffs))
}

// countExtreme counts the assignments of signs whose sum is at least as extreme as least.
func countExtreme(diffs []float64, sum, least float64) int {
	if len(diffs) > 0 {
		return countExtreme(diffs[1:], sum+diffs[0], least) + countExtreme(diffs[1:], sum-diffs[0], least)
	}
	if math.Abs(sum) >= least {
		return 1
	}
	return 0
}

// quantile returns the 97.5 % quantile of Student's t distribution.
func quantile(freedom int) float64 {
	low, high := 0.0, 13.0 // 12.7 with one degree of freedom
	for range 60 {
		if t := (low + high) / 2; within(t, freedom) < 1-alpha {
			low = t
		} else {
			high = t
		}
	}
	return low
}

// within returns the probability that Student's t is between -t and t, by the finite
// series of Abramowitz and Stegun (26.7.3 and 26.7.4).
func within(t float64, freedom int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(angle)
	term, sum := sin, 0.0
	odd := freedom%2 == 1
	if odd {
		term *= cos
	}
	for k := 1 + freedom%2; k < freedom; k += 2 {
		sum += term
		term *= cos * cos * float64(k) / float64(k+1)
	}
	if odd {
		return (angle + sum) * 2 / math.Pi
	}
	return sum
}

// Wilson returns the 95 % interval of a rate, and 0 to 1 without trials.
func Wilson(passed, total int) (low, high float64) {
	if total == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	n, p := float64(total), float64(passed)/float64(total)
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (mid-half)/(1+z*z/n)), min(1, (mid+half)/(1+z*z/n))
}

// PassAny returns pass@k: the chance that at least one of k runs passes, estimated from
// the runs of a case. k is at most total.
func PassAny(passed, total, k int) float64 { return 1 - PassAll(total-passed, total, k) }

// PassAll returns pass^k: the chance that all of k runs pass.
func PassAll(passed, total, k int) float64 {
	p := 1.0
	for i := range k {
		p *= max(0, float64(passed-i)) / float64(total-i)
	}
	return p
}
