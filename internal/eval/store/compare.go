package store

import (
	"slices"

	"skills/internal/eval/stats"
)

// Comparison compares the arm with the skill of two iterations, case by case.
type Comparison struct {
	Before     Meta       `json:"before"`
	After      Meta       `json:"after"`
	Rows       []Change   `json:"cases"`
	Statistics Statistics `json:"statistics"`
}

// Change is a case in two iterations; nil scores are unknown.
type Change struct {
	ID       ID       `json:"eval_id"`
	Name     string   `json:"eval_name,omitempty"`
	Before   *float64 `json:"before"`
	After    *float64 `json:"after"`
	Delta    *float64 `json:"delta"`
	Excluded string   `json:"excluded,omitempty"` // why there is no delta
}

// Compare compares two benchmarks; a positive difference means that after is better. A
// case with other assertions is not compared.
func Compare(before, after *Benchmark) *Comparison {
	c := &Comparison{Before: before.Meta, After: after.Meta, Rows: []Change{}}
	var diffs []float64
	for _, b := range after.Cases {
		row := Change{ID: b.ID, Name: b.Name, After: b.With.Mean}
		i := slices.IndexFunc(before.Cases, func(a Case) bool { return a.ID == b.ID })
		if i < 0 {
			row.Excluded = "only in the second iteration"
		} else {
			row.Before = before.Cases[i].With.Mean
			switch {
			case !slices.EqualFunc(before.Cases[i].Checks, b.Checks, func(x, y Tally) bool { return x.Text == y.Text }):
				row.Excluded = "the assertions differ"
			case row.Before == nil || row.After == nil:
				row.Excluded = "no scored run in one iteration"
			default:
				row.Delta = new(stats.Round(*row.After - *row.Before))
				diffs = append(diffs, *row.Delta)
			}
		}
		c.Rows = append(c.Rows, row)
	}
	for _, a := range before.Cases {
		if !slices.ContainsFunc(after.Cases, func(b Case) bool { return a.ID == b.ID }) {
			c.Rows = append(c.Rows, Change{ID: a.ID, Name: a.Name, Before: a.With.Mean, Excluded: "only in the first iteration"})
		}
	}
	c.Statistics.Errored = len(c.Rows) - len(diffs)
	c.Statistics.Result = stats.Paired(diffs)
	return c
}
