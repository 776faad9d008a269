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
	counts, saved, all := map[string]int{}, map[string]int{}, 0
	for _, p := range a.Parts {
		counts[p.Outcome]++
		if p.Outcome == stats.CanGo {
			all += p.Tokens
			for where, n := range p.Saved {
				saved[where] += n
			}
		}
	}
	d.Verdict = fmt.Sprintf("%d of %s can go", counts[stats.CanGo], printable.Plural(len(a.Parts), "part"))
	d.Summary = fmt.Sprintf("without a mean loss of %.2f or more; score with the whole skill %s over %s", a.Margin, number(a.Score, "%.2f"), printable.Plural(a.Cases, "case"))
	if all > 0 {
		var where []string
		for _, place := range []string{store.InCatalogue, store.InBody, store.InResource} {
			if saved[place] > 0 {
				where = append(where, fmt.Sprintf("%s %s", place, printable.Grouped(int64(saved[place]))))
			}
		}
		d.Detail("saved together: about %s tokens (%s)", printable.Grouped(int64(all)), strings.Join(where, ", "))
	}
	if c := a.Combined; c != nil {
		d.Detail("%s, left out together: %s in %s%s", c.Name, c.Outcome, units(*c), noteOf(*c, "; "))
		switch c.Outcome {
		case stats.CanGo:
		case stats.Hurts:
			d.Detail("Each of them can go, but not all of them: together they are missed.")
		default:
			d.Detail("That they can go together is not shown.")
		}
	}
	if counts[stats.NoLoss] > 0 {
		d.Detail("No loss seen is no proof that a part can go: a loss could have been missed.")
	}
	if a.Stopped != "" {
		d.Detail("Incomplete: %s.", a.Stopped)
	}
	about := [][2]string{{"model", a.Model}, {"judge", a.Judge}, {"started", a.Timestamp}}
	for _, x := range about {
		if x[1] != "" {
			d.Detail("%s %s", x[0], x[1])
		}
	}
	d.Tables = partTables(a)
	return d
}

// partTables shows the parts: what leaving out one does, the mean loss that could have been
// missed, and about how many cases would show that there is none.
func partTables(a *store.Ablation) []Table {
	parts := Table{Title: "Parts", Note: "left out one at a time", Header: []string{"part", "tokens", "without", "result", "could miss", "needs"}}
	notes := Table{Title: "Notes", Header: []string{"part", "note"}}
	mentions := Table{Title: "Mentions of files that can go", Note: "which stay in the text", Header: []string{"file", "mentioned in"}}
	lost := Table{Title: "Cases that lost", Note: "score with the whole skill and without the part", Header: []string{"part", "case", "whole", "without"}}
	for _, p := range a.Parts {
		missed, needed := unknown, unknown
		if p.Outcome != stats.Hurts && p.Cases > 0 {
			missed = fmt.Sprintf("%.2f", p.Missed)
		}
		if p.Needed > 0 {
			needed = fmt.Sprint(p.Needed)
		}
		parts.Add(p.Name, printable.Grouped(int64(p.Tokens)), number(p.Part, "%.2f"), p.Outcome, missed, needed)
		if note := noteOf(p, ""); note != "" {
			notes.Add(p.Name, note)
		}
		if p.Outcome == stats.CanGo && len(p.Mentions) > 0 {
			mentions.Add(p.Name, strings.Join(p.Mentions, ", "))
		}
		for _, c := range p.Rows {
			if c.Part < c.Whole {
				lost.Add(p.Name, string(c.ID), fmt.Sprintf("%.2f", c.Whole), fmt.Sprintf("%.2f", c.Part))
			}
		}
	}
	return []Table{parts, notes, lost, mentions}
}

// units returns what a removal was measured with.
func units(r store.Removal) string {
	if r.Units != "cases" {
		return fmt.Sprintf("%d %s", r.Cases, r.Units)
	}
	return printable.Plural(r.Cases, "case")
}

// noteOf returns what else is to be known of a removal, after before; "" if there is nothing.
func noteOf(r store.Removal, before string) string {
	var parts []string
	add := func(wanted bool, format string, values ...any) {
		if wanted {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(r.Reason != "", "%s", r.Reason)
	add(r.Outcome == stats.Hurts && r.CI != nil, "difference %s, 95 %% interval %s", number(r.Delta, "%+.2f"), bounds(r.CI))
	add(r.Outcome != stats.Hurts && r.Verdict == stats.Better, "the scores are better without it")
	add(r.Units != "cases", "measured with %s", units(r))
	add(r.Kind == store.DescriptionPart && r.Units == "cases", "measured with the cases: without queries of a trigger list, whether the skill is still loaded for other requests is not known")
	add(r.Cases > r.Able, "%d of %s score 0 with the whole skill, and cannot lose", r.Cases-r.Able, units(r))
	add(r.Errored > 0, "%s failed", printable.Plural(r.Errored, "run"))
	if len(parts) == 0 {
		return ""
	}
	return before + strings.Join(parts, "; ")
}
