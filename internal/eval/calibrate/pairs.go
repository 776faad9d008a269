package calibrate

// Two answers show what a judge likes besides what is right: a place, or length. Both are
// compared with what the person preferred, because a longer answer may be the better one.

import (
	"math"
	"unicode/utf8"

	"skills/internal/eval/judge"
	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
)

// Pairs is the agreement about pairs of answers.
type Pairs struct {
	Agreement store.Rate `json:"agreement"`
	Kappa     *float64   `json:"kappa"`
	Position  Position   `json:"position"`
	Length    Length     `json:"length"`

	table [][]int // of the person, then of the judge: first, second, tie
}

// Position is whether the judge prefers a place.
type Position struct {
	Changed store.Rate `json:"changed"` // pairs whose verdict is another one in the other order
	First   int        `json:"first"`   // answers for the first place
	Second  int        `json:"second"`
	Ties    int        `json:"ties"`
	P       *float64   `json:"p_sign"`  // two-sided, of pairs with more answers for one place; nil without any
	Prefers string     `json:"prefers"` // the place that wins that test, or neither

	forFirst, forSecond int // pairs with more answers for this place
}

// Length is whether the judge prefers the longer answer.
type Length struct {
	Judge   store.Rate `json:"judge_prefers_longer"`  // of pairs with a winner of the judge
	Person  store.Rate `json:"person_prefers_longer"` // of pairs with a winner of the person
	Against store.Rate `json:"longer_against_person"` // the judge prefers the longer one, of pairs in which the person does not

	JudgeCorrelation  *float64 `json:"judge_correlation"` // of preference and relative length; nil if one does not vary
	PersonCorrelation *float64 `json:"person_correlation"`

	lengths, judge, person []float64 // of pairs whose lengths differ
}

// places are the columns of a table.
func places() []string { return []string{judge.First, judge.Second, judge.Tie} }

// side is 1 for the first, -1 for the second, and 0 for a tie.
func side(winner string) float64 {
	return map[string]float64{judge.First: 1, judge.Second: -1}[winner]
}

// addPair counts the decision about a pair.
func (r *Report) addPair(e suite.Example, p judge.Preference) {
	person, same := *e.Preferred, *e.Preferred == p.Winner
	r.Agreement.Add(same)
	r.Pairs.Agreement.Add(same)
	for i, one := range places() {
		for j, other := range places() {
			if one == person && other == p.Winner {
				r.Pairs.table[i][j]++
			}
		}
	}
	if !same {
		r.Disagreements = append(r.Disagreements, Disagreement{ID: e.ID, Person: person, Judge: p.Winner, Reason: p.Orders[0].Reason})
	}
	position := &r.Pairs.Position
	position.Changed.Add(side(p.Orders[0].Winner) != -side(p.Orders[1].Winner))
	switch net := side(p.Orders[0].Winner) + side(p.Orders[1].Winner); {
	case net > 0:
		position.forFirst++
	case net < 0:
		position.forSecond++
	}
	for _, o := range p.Orders {
		switch o.Winner {
		case judge.First:
			position.First++
		case judge.Second:
			position.Second++
		default:
			position.Ties++
		}
		if o.Votes != nil {
			votes := *o.Votes
			r.Consistency.Add(max(votes[0], votes[1], votes[2]) == votes[0]+votes[1]+votes[2])
		}
	}
	r.Pairs.Length.add(size(e.Answers[0]), size(e.Answers[1]), person, p.Winner)
}

// size returns the length of an answer with its files, in code points.
func size(w suite.Work) (n int) {
	n = utf8.RuneCountInString(w.Answer)
	for _, f := range w.Files {
		n += utf8.RuneCountInString(f.Content)
	}
	return n
}

// add counts a pair whose lengths differ.
func (l *Length) add(first, second int, person, judged string) {
	if first == second {
		return
	}
	longer := judge.First
	if second > first {
		longer = judge.Second
	}
	if judged != judge.Tie {
		l.Judge.Add(judged == longer)
	}
	if person != judge.Tie {
		l.Person.Add(person == longer)
	}
	if person != longer {
		l.Against.Add(judged == longer)
	}
	l.lengths = append(l.lengths, math.Log(float64(first+1)/float64(second+1)))
	l.judge, l.person = append(l.judge, side(judged)), append(l.person, side(person))
}

// finish computes what is about all pairs.
func (p *Pairs) finish() {
	position, length := &p.Position, &p.Length
	for _, rate := range []*store.Rate{&p.Agreement, &position.Changed, &length.Judge, &length.Person, &length.Against} {
		rate.Finish()
	}
	p.Kappa = kappa(p.table)
	verdict := ""
	position.P, verdict = stats.Sign(position.forFirst, position.forSecond)
	position.Prefers = map[string]string{stats.Better: judge.First, stats.Worse: judge.Second, stats.Inconclusive: "neither"}[verdict]
	length.JudgeCorrelation = correlation(length.lengths, length.judge)
	length.PersonCorrelation = correlation(length.lengths, length.person)
}

// correlation returns Pearson's, nil for fewer than three values or if one does not vary.
func correlation(x, y []float64) *float64 {
	mx, sx := stats.Spread(x)
	my, sy := stats.Spread(y)
	if len(x) < 3 || sx == 0 || sy == 0 {
		return nil
	}
	sum := 0.0
	for i := range x {
		sum += (x[i] - mx) * (y[i] - my)
	}
	return new(stats.Round(sum / float64(len(x)-1) / sx / sy))
}
