package report

import (
	"fmt"
	"io"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

// AblationFormats returns the formats of an ablation, the default first.
func AblationFormats() []string { return []string{"text", "json", "markdown"} }

// WriteAblation writes an ablation like [Write].
func WriteAblation(w io.Writer, format string, to Target, a *store.Ablation) error {
	if format == "json" {
		return printable.WriteJSON(w, a)
	}
	return describeAblation(a).Write(w, format, to.Width)
}

func describeAblation(a *store.Ablation) Document {
	d := Document{Subject: a.Skill}
	counts, saved := map[string]int{}, 0
	for _, p := range a.Parts {
		counts[p.Outcome]++
		if p.Outcome == stats.CanGo {
			saved += p.Tokens
		}
	}
	d.Verdict = fmt.Sprintf("%d of %s can go", counts[stats.CanGo], printable.Plural(len(a.Parts), "part"))
	d.Summary = fmt.Sprintf("without a mean loss of %.2f or more; score with the whole skill %s over %s", a.Margin, number(a.Score, "%.2f"), printable.Plural(a.Cases, "case"))
	if saved > 0 {
		d.Detail("saved together: about %s tokens", printable.Grouped(int64(saved)))
	}
	if c := a.Combined; c != nil {
		d.Detail("%s, checked together: %s", c.Name, says(*c))
		switch c.Outcome {
		case stats.CanGo:
		case stats.Hurts:
			d.Detail("Each of them can go, but not all of them: together they are missed.")
		default:
			d.Detail("That they can go together is not shown.")
		}
	}
	if counts[stats.NoLoss] > 0 {
		d.Detail("No loss seen is no proof that a part can go: the cases could have missed one.")
	}
	if a.Stopped != "" {
		d.Detail("Incomplete: %s.", a.Stopped)
	}
	parts := Table{Title: "Parts", Note: "left out one at a time", Header: []string{"part", "tokens", "in", "whole", "without", "difference", "result"}}
	mentions := Table{Title: "Mentions of files that can go", Note: "which stay in the text", Header: []string{"file", "mentioned in"}}
	lost := Table{Title: "Cases that lost", Note: "score with the whole skill and without the part", Header: []string{"part", "case", "whole", "without"}}
	for _, p := range a.Parts {
		where := ""
		for _, place := range []string{store.InCatalogue, store.InBody, store.InResource} {
			if _, ok := p.Saved[place]; ok {
				where = place
			}
		}
		parts.Add(p.Name, printable.Grouped(int64(p.Tokens)), where, number(p.Whole, "%.2f"), number(p.Part, "%.2f"), number(p.Delta, "%+.2f"), says(p))
		if p.Outcome == stats.CanGo && len(p.Mentions) > 0 {
			mentions.Add(p.Name, strings.Join(p.Mentions, ", "))
		}
		for _, c := range p.Rows {
			if c.Part < c.Whole {
				lost.Add(p.Name, string(c.ID), fmt.Sprintf("%.2f", c.Whole), fmt.Sprintf("%.2f", c.Part))
			}
		}
	}
	about := [][2]string{{"model", a.Model}, {"judge", a.Judge}, {"started", a.Timestamp}}
	for _, x := range about {
		if x[1] != "" {
			d.Detail("%s %s", x[0], x[1])
		}
	}
	d.Tables = []Table{parts, lost, mentions}
	return d
}

// says returns the outcome of a removal with what it rests on.
func says(r store.Removal) string {
	if r.Outcome == store.NotMeasured {
		return r.Outcome + ": " + r.Reason
	}
	units := printable.Plural(r.Cases, "case")
	if r.Units != "cases" {
		units = fmt.Sprintf("%d %s", r.Cases, r.Units)
	}
	text := fmt.Sprintf("%s in %s", r.Outcome, units)
	switch r.Outcome {
	case stats.CanGo:
		text = fmt.Sprintf("%s: in %s, a loss of %.2f is the most that fits", r.Outcome, units, r.Missed)
		if r.Verdict == stats.Better {
			text += "; the scores are better without it"
		}
	case stats.Hurts:
		text = fmt.Sprintf("%s: 95 %% interval %s in %s", r.Outcome, bounds(r.CI), units)
	case stats.NoLoss, stats.Unknown:
		text += fmt.Sprintf("; up to %.2f could be missed", r.Missed)
		if r.Needed > 0 {
			text += fmt.Sprintf(", about %d %s would show", r.Needed, r.Units)
		}
	}
	if n := r.Cases - r.Able; n > 0 {
		text += fmt.Sprintf("; %d score 0 with the whole skill and cannot lose", n)
	}
	if r.Errored > 0 {
		text += fmt.Sprintf("; %s failed", printable.Plural(r.Errored, "run"))
	}
	return text
}
