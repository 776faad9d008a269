package report

// Tables below the cases: what the runs used, and the assertions that need a look.

import (
	"fmt"
	"math"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/printable"
)

// usage writes the tokens and the cost of the runs and their judge, by arm and in total.
func (p *page) usage(measured []*store.Benchmark) {
	var rows []store.Usage
	var names []string
	for _, b := range measured {
		for _, u := range b.Usage {
			rows, names = append(rows, u), append(names, arm(b, u.Configuration)+strings.Replace(p.with(b), " with ", ", ", 1))
		}
	}
	if len(rows) == 0 {
		return
	}
	header := []string{"arm", "runs", "tokens", "tokens of the judge", "cost", "cost of the judge", "cost in total"}
	const note = "Failed runs are included, as far as the server reported their tokens. The judge is counted at the price of its own server, or at that of the runs. Unknown: –."
	p.section("usage", "Tokens and cost", note, func() {
		p.averages(measured)
		p.table("used", header, len(rows), func(row, column int) {
			u := rows[row]
			p.text([]string{
				names[row], strings.Replace(strings.Replace(ran(u), " runs", "", 1), " run", "", 1), tokens(u.Tokens), tokens(u.JudgeTokens), price(u.Cost), price(u.JudgeCost), price(sum(u.Cost, u.JudgeCost)),
			}[column])
		})
	})
}

// averages writes what a run of each arm takes, with the mean tokens and times as bars.
func (p *page) averages(measured []*store.Benchmark) {
	var rows []store.ArmSummary
	var names []string
	most := [2]float64{}
	mean := func(s *store.Stat) float64 {
		if s == nil {
			return 0
		}
		return s.Mean
	}
	for _, b := range measured {
		for _, a := range b.Summary.Arms {
			rows, names = append(rows, a), append(names, arm(b, a.Configuration)+strings.Replace(p.with(b), " with ", ", ", 1))
			most[0], most[1] = max(most[0], mean(a.Tokens)), max(most[1], mean(a.Time))
		}
	}
	header := []string{"a run, on average", "assertions passed", "tokens", "time"}
	p.table("used", header, len(rows), func(row, column int) {
		a := rows[row]
		switch {
		case column == 0:
			p.text(names[row])
		case column == 1:
			p.text(fmt.Sprintf("%.0f %%", 100*mean(a.Rate)))
		case column == 2 && a.Tokens != nil:
			p.bar(a.Tokens.Mean/max(1, most[0]), printable.Grouped(int64(math.Round(a.Tokens.Mean))))
		case column == 3 && a.Time != nil:
			p.bar(a.Time.Mean/max(1e-9, most[1]), fmt.Sprintf("%.1f s", a.Time.Mean))
		default:
			p.text(unknown)
		}
	})
}

// sum adds numbers that are both known.
func sum[T int64 | float64](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

func tokens(n *int64) string {
	if n == nil {
		return unknown
	}
	return printable.Grouped(*n)
}

// price returns a cost; 0 is that of runs without a price.
func price(v *float64) string {
	if v == nil || *v == 0 {
		return unknown
	}
	return fmt.Sprintf("%.4f", *v)
}

// assertions writes each assertion that needs a look once, with the reasons.
func (p *page) assertions(model int, b *store.Benchmark) {
	list := looks(b)
	if len(list) == 0 {
		return
	}
	names := arms(b)
	header := []string{"case", "assertion", "why", names[0], names[1]}
	title := fmt.Sprintf("Assertions to look at%s (%d)", p.with(b), len(list))
	p.section("", title, "", func() {
		p.fold("looks", len(list) <= 12, func() {
			p.text("Assertions that fail with the skill, whose runs differ (flaky), or that are the same in every run of both arms (tell nothing)")
		}, func() {
			p.table("", header, len(list), func(row, column int) {
				l := list[row]
				switch column {
				case 0:
					p.open("a", "href", fmt.Sprintf("#case-%d-%d", model+1, l.index+1))
					p.text(string(b.Cases[l.index].ID))
					p.close("a")
				case 1:
					p.text(p.allow.line(l.Text))
				case 2:
					for _, word := range l.words {
						p.element("span", "chip", word)
						p.text(" ")
					}
				case 3:
					p.text(count(l.With))
				default:
					p.text(count(l.Baseline))
				}
			})
		})
	})
}
