package stats

// Whether something can be left out without a loss is not the question whether a difference
// was found: cases that all tie show little. So leaving it out is said to lose nothing only if
// a loss of the margin would have shown.

import "math"

// What leaving out a part does.
const (
	CanGo     = "can go"       // a mean loss of the margin is excluded
	Hurts     = "hurts"        // the scores are worse without it
	NoLoss    = "no loss seen" // which does not exclude one
	Unknown   = "unknown"      // some cases lost, as they may by chance
	cantShow  = 0.025          // chance of the data under a loss that is excluded
	power80   = 1.96 + 0.84    // sum of the normal quantiles
	maxNeeded = 1_000_000      // cases
)

// Loss compares the scores without a part with those of the whole; nil numbers are unknown.
type Loss struct {
	Result          // without the part minus the whole: negative is a loss
	Outcome string  `json:"outcome"`      // CanGo, Hurts, NoLoss or Unknown
	Able    int     `json:"n_able"`       // cases whose score with the whole is not 0: others cannot lose
	Missed  float64 `json:"could_miss"`   // the largest mean loss that the data does not exclude, at most 1
	Needed  int     `json:"cases_needed"` // about so many would exclude a loss of the margin, if there is none; 0 if they do
}

// Without compares the scores of cases with the whole and without a part, in the same order.
// A loss of margin or more is excluded in one of two ways, each wrong in 2.5 % of experiments
// at most. If half of the cases differ, and six at least, by the t interval. Otherwise by the
// number of cases that lost, of which each can have lost all: its exact upper limit is 0.46
// if none of 6 lost, and below 0.1 from 36 cases on.
func Without(whole, part []float64, margin float64) Loss {
	var diffs []float64
	l := Loss{}
	for i, score := range whole {
		diffs = append(diffs, part[i]-score)
		if score > tolerance {
			l.Able++
		}
	}
	l.Result = Paired(diffs)
	varied := vary(l.Wins+l.Losses, l.Cases)
	missed := couldMiss(diffs, l.Losses, l.Able, varied)
	l.Missed = Round(missed)
	switch {
	case l.Verdict == Worse:
		l.Outcome = Hurts
	case canGo(missed, l.Able, margin):
		l.Outcome = CanGo
	case l.Cases > 0 && *l.Delta >= -tolerance:
		l.Outcome = NoLoss
	default:
		l.Outcome = Unknown
	}
	if l.Outcome == NoLoss || l.Outcome == Unknown {
		l.Needed = needed(diffs, varied, l.Cases, margin)
	}
	return l
}

// vary reports whether enough cases differ for a t interval: of few that do, it is too narrow.
func vary(differ, cases int) bool { return differ >= MinCases && 2*differ >= cases }

// canGo reports whether a loss of the margin is excluded, by cases that could have shown it.
func canGo(missed float64, able int, margin float64) bool { return able >= MinCases && missed < margin }

// couldMiss returns the largest mean loss that differences do not exclude. varied means that
// enough of them differ for a t interval.
func couldMiss(diffs []float64, losses, able int, varied bool) float64 {
	if !varied {
		return upperRate(losses, able)
	}
	n := len(diffs)
	mean, deviation := Spread(diffs)
	return min(1, max(0, quantile(n-1)*deviation/math.Sqrt(float64(n))-mean))
}

// needed returns about how many cases would exclude a loss of margin in 80 of 100 experiments
// if there is none.
func needed(diffs []float64, varied bool, cases int, margin float64) int {
	n := math.Log(cantShow) / math.Log1p(-min(margin, 0.99)) // if none loses
	if _, deviation := Spread(diffs); varied || deviation > tolerance && len(diffs) > 1 {
		byInterval := math.Pow(power80*deviation/margin, 2)
		if varied {
			n = byInterval
		}
		n = max(n, byInterval)
	}
	return int(math.Ceil(min(maxNeeded, max(n, float64(max(cases+1, MinCases))))))
}

// upperRate returns the upper end of the exact one-sided 97.5 % interval of a rate: with a
// higher one, so few of total were less likely than 2.5 %. It is 1 without trials.
func upperRate(count, total int) float64 {
	if count >= total {
		return 1
	}
	low, high := 0.0, 1.0
	for range 50 {
		if rate := (low + high) / 2; atMost(count, total, rate) > cantShow {
			low = rate
		} else {
			high = rate
		}
	}
	return high
}

// atMost returns the probability of at most count of total, each with a rate below 1.
func atMost(count, total int, rate float64) (p float64) {
	term := math.Pow(1-rate, float64(total))
	for k := range count + 1 {
		p += term
		term *= float64(total-k) / float64(k+1) * rate / (1 - rate)
	}
	return p
}
