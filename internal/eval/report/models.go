package report

// Several models on a page: one table of their results, and one of all cases.

import (
	"cmp"
	"fmt"
	"slices"

	"skills/internal/eval/store"
)

// modelCase is a case with each model of a page; nil where a model did not run it.
type modelCase struct {
	title string
	cases []*store.Case
	links []string
}

// least returns the smallest difference of any model, 0 without one.
func (m modelCase) least() (least float64) {
	for _, c := range m.cases {
		if c != nil && c.Delta != nil {
			least = min(least, *c.Delta)
		}
	}
	return least
}

// spread returns how far the differences of the models are apart.
func (m modelCase) spread() float64 {
	var all []float64
	for _, c := range m.cases {
		if c != nil && c.Delta != nil {
			all = append(all, *c.Delta)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return slices.Max(all) - slices.Min(all)
}

// modelCases returns the cases of several models: the largest loss with any of them first,
// then those in which the models differ most.
func modelCases(measured []*store.Benchmark) (list []*modelCase) {
	byID := map[store.ID]*modelCase{}
	for i, b := range measured {
		for j := range b.Cases {
			c := &b.Cases[j]
			m := byID[c.ID]
			if m == nil {
				m = &modelCase{title: title(*c), cases: make([]*store.Case, len(measured)), links: make([]string, len(measured))}
				list, byID[c.ID] = append(list, m), m
			}
			m.cases[i], m.links[i] = c, fmt.Sprintf("#case-%d-%d", i+1, j+1)
		}
	}
	slices.SortStableFunc(list, func(x, y *modelCase) int {
		return cmp.Or(cmp.Compare(x.least(), y.least()), cmp.Compare(y.spread(), x.spread()))
	})
	return list
}

// modelTable compares models.
func (p *page) modelTable() {
	header := []string{"model", "verdict", axis, "difference", "95 % interval", "score", "cases", "tokens", "cost"}
	measured := 0
	p.section("models", "Models", "The same cases with each model, with the skill and without.", func() {
		p.table("results", header, len(p.models), func(row, column int) {
			m := p.models[row]
			switch {
			case column == 0 && m.Benchmark == nil:
				p.text(m.Model)
			case column == 0:
				measured++
				p.open("a", "href", fmt.Sprint("#cases-", measured))
				p.text(cmp.Or(m.Model, fmt.Sprint("model ", measured)))
				p.close("a")
			case m.Benchmark == nil && header[column] == "verdict":
				p.element("span", "badge", "failed")
			case m.Benchmark == nil:
				p.text(unknown)
			default:
				p.result(m.Benchmark.Statistics, m.Benchmark.Usage, header[column])
			}
		})
	})
}

// matrix writes the difference of each case with each model, with links to the cases.
func (p *page) matrix(measured []*store.Benchmark) {
	list := modelCases(measured)
	if len(list) == 0 {
		return
	}
	header := []string{"case"}
	for _, m := range p.models {
		if m.Benchmark != nil {
			header = append(header, m.Model)
		}
	}
	note := "The difference of each case, and the score with the skill. Sorted by the largest loss with any model, then by how far the models are apart."
	class := ""
	if len(header) > 6 {
		class = "results"
	}
	p.section("matrix", fmt.Sprintf("Cases and models (%d)", len(list)), note, func() {
		p.table(class, header, len(list), func(row, column int) {
			m := list[row]
			switch {
			case column == 0:
				p.text(p.allow.line(m.title))
			case m.cases[column-1] == nil:
				p.text(unknown)
			default:
				c, change := m.cases[column-1], unknown
				if c.Delta != nil {
					change = signed(*c.Delta)
				}
				p.open("span", "class", "short")
				p.open("a", "href", m.links[column-1])
				p.text(change)
				p.close("a")
				p.element("span", "who", " ("+number(c.With.Mean, "%.2f")+")")
				p.close("span")
			}
		})
	})
}
