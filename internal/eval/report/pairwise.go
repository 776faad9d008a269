package report

import (
	"fmt"

	"skills/internal/eval/store"
	"skills/internal/printable"
)

// pairwise adds what a judge said about the runs in pairs.
func (d *Document) pairwise(p *store.Pairwise) {
	line := fmt.Sprintf("Pairwise: %s won, %d tied, %d lost", printable.Plural(p.Wins, "case"), p.Ties, p.Losses)
	if p.P != nil {
		line += fmt.Sprintf("; sign test p %.3g without the ties", *p.P)
	}
	d.Detail("%s: %s.", line, p.Verdict)
	line = fmt.Sprintf("Pairwise: %s in both orders, %d with orders that disagree, which are ties", printable.Plural(len(p.Pairs), "pair"), p.Disagreed)
	if p.First+p.Second > 0 {
		line += fmt.Sprintf("; places chosen: %d times the first, %d the second", p.First, p.Second)
	}
	if p.NotJudged > 0 {
		line += fmt.Sprintf("; %d not compared", p.NotJudged)
	}
	d.Detail("%s.", line)
}

// pairTable lists the cases with their pairs; p may be nil.
func pairTable(p *store.Pairwise) Table {
	t := Table{Title: "Pairwise", Note: "runs with the skill compared with runs of the baseline", Header: []string{"case", "won", "tied", "lost", "reason"}}
	if p == nil {
		return t
	}
	for _, c := range p.Cases {
		name := title(store.Case{ID: c.ID, Name: c.Name})
		t.Add(name, fmt.Sprint(c.Wins), fmt.Sprint(c.Ties), fmt.Sprint(c.Losses), pairReason(p, c.ID))
	}
	return t
}

// pairReason returns what the judge said about the first pair of a case.
func pairReason(p *store.Pairwise, id store.ID) string {
	for _, pair := range p.Pairs {
		if pair.ID == id && len(pair.Orders) > 0 {
			return pair.Orders[0].First + " first: " + pair.Orders[0].Reason
		}
	}
	return ""
}
