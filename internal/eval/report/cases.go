package report

// The list of cases, sorted by what changed: losses first, the largest before the others,
// then gains, then what could not be compared, and ties last.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/printable"
)

// kind is what happened to a case.
type kind struct {
	name, word, mark string
}

// kinds returns the kinds in the order of the list.
func kinds() []kind {
	return []kind{{"lost", "lost", "▼"}, {"gained", "gained", "▲"}, {"error", "not compared", "!"}, {"tie", "equal", "="}, {"alone", "without a comparison", "·"}}
}

// same is the largest difference of means of runs that are equal.
const same = 1e-6

// kindOf returns the name of a case's kind.
func kindOf(b *store.Benchmark, c store.Case) string {
	switch {
	case c.Delta == nil && (c.Excluded != "" || c.With.Mean == nil):
		return "error"
	case c.Delta == nil || b.Statistics.Baseline == "":
		return "alone"
	case *c.Delta < -same:
		return "lost"
	case *c.Delta > same:
		return "gained"
	}
	return "tie"
}

// caseView is a case with what a page shows of it. The first of two is the measured arm.
type caseView struct {
	store.Case
	kind          kind
	runs          [2][]store.Result
	failed        []store.Failure
	flaky, silent int // assertions
	id            string
}

// views returns the cases of a benchmark in the order of the list.
func views(b *store.Benchmark, model int) []*caseView {
	list, byID := []*caseView{}, map[store.ID]*caseView{}
	for i, c := range b.Cases {
		v := &caseView{Case: c, id: fmt.Sprintf("case-%d-%d", model+1, i+1)}
		v.kind = kinds()[slices.IndexFunc(kinds(), func(k kind) bool { return k.name == kindOf(b, c) })]
		for _, t := range c.Checks {
			if t.Flaky() {
				v.flaky++
			}
			if t.Silent() {
				v.silent++
			}
		}
		list, byID[c.ID] = append(list, v), v
	}
	for _, r := range b.Runs {
		arm := 0
		switch r.Configuration {
		case b.Statistics.Baseline:
			arm = 1
		case store.WithoutSkill, store.OldSkill:
			continue // a second baseline
		}
		byID[r.ID].runs[arm] = append(byID[r.ID].runs[arm], r)
	}
	for _, f := range b.Errored {
		byID[f.ID].failed = append(byID[f.ID].failed, f)
	}
	slices.SortStableFunc(list, func(x, y *caseView) int {
		rank := func(v *caseView) int { return slices.Index(kinds(), v.kind) }
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.change(), x.change()), cmp.Compare(y.flaky, x.flaky))
	})
	return list
}

// change is how far a case is up in the list among its kind.
func (v *caseView) change() float64 {
	if v.Delta != nil && v.kind.name != "alone" {
		return math.Abs(*v.Delta)
	}
	if v.With.Mean != nil {
		return 1 - *v.With.Mean
	}
	return 2
}

// tags are the words that the filter selects by.
func (v *caseView) tags() string {
	tags := []string{v.kind.name}
	if v.kind.name == "lost" || v.kind.name == "gained" {
		tags = append(tags, "changed")
	}
	if len(v.failed) > 0 && v.kind.name != "error" {
		tags = append(tags, "error")
	}
	if v.flaky > 0 {
		tags = append(tags, "flaky")
	}
	if v.silent > 0 {
		tags = append(tags, "silent")
	}
	return strings.Join(tags, " ")
}

// caseList writes the cases of one benchmark of a page.
type caseList struct {
	*page
	bench *store.Benchmark
	names [2]string // of the arms
}

// cases writes the list of a benchmark's cases.
func (p *page) cases(model int, b *store.Benchmark) {
	l := caseList{p, b, arms(b)}
	list := views(b, model)
	title := fmt.Sprintf("Cases%s (%d)", p.with(b), len(list))
	note := "Sorted by what changed: losses first, then gains, ties last."
	if b.Statistics.Baseline == "" {
		note = "Sorted by score, the lowest first."
	}
	p.open("section", "id", fmt.Sprint("cases-", model+1), "class", "list")
	p.in("div", "head", func() {
		p.element("h2", "", title)
		p.element("p", "note", note)
	})
	l.tools(list)
	p.open("div", "class", "row columns", "aria-hidden", "true")
	for _, name := range []string{"", "case", "runs", l.names[0], l.names[1], "difference"} {
		p.element("span", "", name)
	}
	p.close("div")
	for _, v := range list {
		p.open("details", "class", "case "+v.kind.name, "id", v.id, "data-tags", v.tags())
		p.in("summary", "row", func() { l.row(v) })
		p.in("div", "body", func() { l.detail(v) })
		p.close("details")
	}
	p.b.WriteString("<p class=\"empty\" hidden>No case matches.</p>\n")
	p.close("section")
}

// with names the model of a benchmark where a page has several.
func (p *page) with(b *store.Benchmark) string {
	for _, m := range p.models {
		if m.Benchmark == b && len(p.models) > 1 {
			return " with " + m.Model
		}
	}
	return ""
}

// tools writes the filter and the search, which the script shows: without it they would do
// nothing.
func (p caseList) tools(list []*caseView) {
	counts := map[string]int{"": len(list)}
	for _, v := range list {
		for tag := range strings.FieldsSeq(v.tags()) {
			counts[tag]++
		}
	}
	p.b.WriteString("<div class=\"tools\" hidden>\n")
	p.open("div", "class", "filters", "role", "group", "aria-label", "Show cases")
	for _, f := range [][2]string{{"", "all"}, {"changed", "changed"}, {"lost", "lost"}, {"gained", "gained"}, {"tie", "equal"}, {"error", "errors"}, {"flaky", "flaky"}, {"silent", "tells nothing"}} {
		n := counts[f[0]]
		if n == 0 {
			continue
		}
		p.open("button", "type", "button", "data-tag", f[0], "aria-pressed", fmt.Sprint(f[0] == ""))
		p.text(f[1] + " ")
		p.element("span", "", fmt.Sprint(n))
		p.close("button")
	}
	p.close("div")
	p.open("input", "type", "search", "placeholder", "Search prompts, answers, assertions", "aria-label", "Search the cases", "spellcheck", "false")
	p.b.WriteString("<button type=\"button\" class=\"all\">Open all</button>\n<p class=\"shown\" role=\"status\"></p>\n</div>\n")
}

// row writes the line of a case.
func (p caseList) row(v *caseView) {
	p.open("span", "class", "mark", "title", v.kind.word)
	p.text(v.kind.mark)
	p.close("span")
	p.in("span", "name", func() {
		p.element("b", "", p.allow.line(title(v.Case)))
		badge := func(n int, one, many string) {
			if n > 0 {
				p.text(" ")
				p.element("span", "chip", fmt.Sprintf(map[bool]string{true: one, false: many}[n == 1], n))
			}
		}
		badge(len(v.failed), "%d error", "%d errors")
		badge(v.flaky, "%d flaky", "%d flaky")
		badge(v.silent, "%d tells nothing", "%d tell nothing")
	})
	p.dots(v)
	for i, mean := range []*float64{v.With.Mean, v.Baseline.Mean} {
		p.open("span", "class", "score", "data-title", p.names[i])
		p.text(number(mean, "%.2f"))
		p.close("span")
	}
	change := unknown
	if v.Delta != nil {
		change = signed(*v.Delta)
	}
	p.open("span", "class", "delta", "data-title", "difference")
	p.text(change)
	p.close("span")
}

// dots draws the scores of a case's runs on an axis from 0 to 1, the measured arm above.
func (p caseList) dots(v *caseView) {
	p.open("svg", "class", "dots", "viewBox", "0 0 112 30", "width", "112", "height", "30", "aria-hidden", "true")
	for arm, runs := range v.runs {
		y := 8 + 14*arm
		p.open("line", "class", "axis", "x1", "8", "x2", "104", "y1", fmt.Sprint(y), "y2", fmt.Sprint(y))
		p.close("line")
		seen := map[string]int{}
		for _, r := range runs {
			at := fmt.Sprintf("%.1f", 8+96*r.Result.Score)
			n := seen[at] // equal scores are drawn next to each other
			seen[at]++
			if n > 4 {
				continue
			}
			shift := 8.5 * float64(n)
			if r.Result.Score > 0.5 {
				shift = -shift
			}
			p.open("circle", "class", map[int]string{0: "with", 1: "base"}[arm], "cx", fmt.Sprintf("%.1f", 8+96*r.Result.Score+shift), "cy", fmt.Sprint(y), "r", "4")
			p.close("circle")
		}
	}
	p.close("svg")
}

// group is a message with how often it occurs.
type group struct {
	message string
	places  []string
}

// grouped groups equal messages, the most frequent first.
func grouped(messages, places []string) (list []group) {
	index := map[string]int{}
	for i, message := range messages {
		at, ok := index[message]
		if !ok {
			at, index[message] = len(list), len(list)
			list = append(list, group{message: message})
		}
		list[at].places = append(list[at].places, places[i])
	}
	slices.SortStableFunc(list, func(x, y group) int { return cmp.Compare(len(y.places), len(x.places)) })
	return list
}

// errors writes the runs without a score, equal errors once.
func (p *page) errors(b *store.Benchmark) {
	if len(b.Errored) == 0 {
		return
	}
	title := fmt.Sprintf("Errors%s (%d)", p.with(b), len(b.Errored))
	p.section("", title, "Runs without a score. What they used is part of tokens and cost.", func() {
		for _, g := range groupedErrors(b) {
			p.fold("error", false, func() {
				p.element("span", "times", fmt.Sprintf("%d×", len(g.places)))
				p.text(" " + p.allow.line(g.message))
			}, func() { p.element("p", "places", printable.List(g.places, 100)) })
		}
	})
}
