package store

// A judge may also compare the two runs of a case with each other, in both orders. The case
// is the unit here too: it is won if more of its pairs are won than lost. Cases that tie say
// nothing about the direction, and are left out of the sign test, which is exact.

import (
	"path/filepath"
	"slices"

	"skills/internal/eval/stats"
)

// PairFile is the file in the folder of a run with the skill that says how a judge compared
// it with the run of the baseline of the same number.
const PairFile = "pairwise.json"

// Tie is the winner of a pair without one.
const Tie = "tie"

// Pair is what a judge said about a run with the skill and one of the baseline.
type Pair struct {
	Winner string      `json:"winner"`       // a configuration, or Tie
	Agree  bool        `json:"orders_agree"` // else it is a tie
	Orders []PairOrder `json:"orders"`

	Judged  *int64   `json:"judge_tokens"` // nil if unknown
	Judging *float64 `json:"judge_cost,omitempty"`
}

// PairOrder is what the judge said about the runs in one order.
type PairOrder struct {
	First  string  `json:"first"`  // the configuration that came first
	Winner string  `json:"winner"` // a configuration, or Tie
	Reason string  `json:"reason"`
	Votes  *[3]int `json:"votes,omitempty"` // for the first, the second and a tie, if there are several
}

// Pairwise is the comparison of the arms by pairs of runs.
type Pairwise struct {
	Judge string       `json:"judge"`
	Cases []PairCase   `json:"cases"`
	Pairs []PairResult `json:"pairs"`

	Wins    int      `json:"wins"` // cases
	Ties    int      `json:"ties"`
	Losses  int      `json:"losses"`
	P       *float64 `json:"p_sign"`  // two-sided, without the ties; nil if there is nothing else
	Verdict string   `json:"verdict"` // of package stats

	Disagreed int `json:"n_disagreed"` // pairs whose orders disagree
	NotJudged int `json:"n_errored"`   // pairs of two scored runs without a comparison
	First     int `json:"first_chosen"`
	Second    int `json:"second_chosen"` // how often the judge chose the first place, and the second
}

// PairCase counts the pairs of a case.
type PairCase struct {
	ID     ID     `json:"eval_id"`
	Name   string `json:"eval_name,omitempty"`
	Wins   int    `json:"wins"`
	Ties   int    `json:"ties"`
	Losses int    `json:"losses"`
}

// PairResult is a pair of runs.
type PairResult struct {
	ID     ID  `json:"eval_id"`
	Number int `json:"run_number"`
	Pair
}

// readPair reads the pair of a run, nil if it has none.
func readPair(dir string) (*Pair, error) {
	var p Pair
	path := filepath.Join(dir, PairFile)
	if err := Load(path, &p); err != nil || p.Winner == "" {
		return nil, err
	}
	known := func(winner string) bool { return winner == Tie || rank(winner) >= 0 }
	isBroken := !known(p.Winner) || len(p.Orders) != 2
	for _, o := range p.Orders {
		isBroken = isBroken || !known(o.Winner) || rank(o.First) < 0
	}
	if isBroken {
		return nil, pathError(path, "is damaged: it names no winner of two orders", again)
	}
	return &p, nil
}

// compareInPairs sets what the pairs of the runs say.
func (b *Benchmark) compareInPairs(runs []Run) {
	if !b.Meta.Pairwise || b.Statistics.Baseline == "" {
		return
	}
	p := &Pairwise{Judge: b.Meta.Judge, Cases: []PairCase{}, Pairs: []PairResult{}}
	for _, r := range runs {
		isPaired := slices.ContainsFunc(runs, func(other Run) bool {
			return other.Case == r.Case && other.Number == r.Number && other.Configuration == b.Statistics.Baseline && other.Failed() == ""
		})
		if !with(r.Configuration) || r.Failed() != "" || !isPaired {
			continue
		}
		if r.Pair == nil {
			p.NotJudged++
			continue
		}
		p.add(r)
	}
	for _, c := range p.Cases {
		switch {
		case c.Wins > c.Losses:
			p.Wins++
		case c.Wins < c.Losses:
			p.Losses++
		default:
			p.Ties++
		}
	}
	p.P, p.Verdict = stats.Sign(p.Wins, p.Losses)
	b.Pairwise = p
}

// add adds the pair of a run with the skill.
func (p *Pairwise) add(r Run) {
	p.Pairs = append(p.Pairs, PairResult{ID(r.Case), r.Number, *r.Pair})
	if n := len(p.Cases); n == 0 || p.Cases[n-1].ID != ID(r.Case) {
		p.Cases = append(p.Cases, PairCase{ID: ID(r.Case), Name: r.Name})
	}
	c := &p.Cases[len(p.Cases)-1]
	switch {
	case r.Pair.Winner == Tie:
		c.Ties++
	case with(r.Pair.Winner):
		c.Wins++
	default:
		c.Losses++
	}
	if !r.Pair.Agree {
		p.Disagreed++
	}
	for _, o := range r.Pair.Orders {
		switch o.Winner {
		case Tie:
		case o.First:
			p.First++
		default:
			p.Second++
		}
	}
}

// usage returns what the comparisons used: only a judge has worked.
func (p *Pairwise) usage() Usage {
	u := Usage{Configuration: PairUsage, Runs: len(p.Pairs), Tokens: new(int64), Cost: new(float64), JudgeTokens: new(int64), JudgeCost: new(float64)}
	for _, pair := range p.Pairs {
		add(&u.JudgeTokens, pair.Judged)
		add(&u.JudgeCost, pair.Judging)
	}
	return u
}
