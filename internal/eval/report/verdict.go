package report

// The verdict as a sentence and a picture, what more is needed for one, and the results of
// the iterations of a workspace.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

// head writes the head of the page, and what more there is to know about the verdict or of
// the models.
func (p *page) head(measured []*store.Benchmark) {
	single := len(p.models) == 1
	p.open("header", "class", class(p.d.Verdict))
	p.element("p", "kicker", "Does the skill help?")
	p.element("h1", "", p.d.Subject)
	p.in("p", "lead", func() {
		p.element("span", "badge "+class(p.d.Verdict), p.d.Verdict)
		if single {
			p.text(" " + lead(measured[0]))
		} else {
			p.text(" " + p.d.Summary)
		}
	})
	if single {
		p.interval(measured[0].Statistics.Result)
		p.tally(measured[0])
	}
	var lines []string
	for _, line := range p.d.Details {
		if !p.d.drawn[line] {
			lines = append(lines, line)
		}
	}
	p.list(map[bool]string{true: "facts", false: "facts findings"}[single], lines)
	p.close("header")
	if single {
		p.knowMore(measured[0])
		return
	}
	p.modelTable()
	p.matrix(measured)
	p.tables(p.d.Tables)
}

// lead says what the verdict means.
func lead(b *store.Benchmark) string {
	s := b.Statistics
	if s.Baseline == "" {
		return "The runs have nothing to be compared with. Mean score " + number(s.Score, "%.2f") + "."
	}
	if s.Delta == nil {
		return "No case has a score in both arms."
	}
	measured := fmt.Sprintf("%s over %s", signed(*s.Delta), printable.Plural(s.Cases, "case"))
	if s.CI != nil {
		measured += fmt.Sprintf(", 95 %% interval %s to %s", signed(s.CI[0]), signed(s.CI[1]))
	}
	names := arms(b)
	switch s.Verdict {
	case stats.Better:
		return fmt.Sprintf("The score %s is higher by more than chance: %s.", names[0], measured)
	case stats.Worse:
		return fmt.Sprintf("The score %s is lower by more than chance: %s.", names[0], measured)
	case stats.NoDifference:
		return "A difference of more than 0.05 is ruled out: " + measured + "."
	}
	if allTie(s) {
		return tied(s)
	}
	return "These runs cannot tell it from chance: " + measured + "."
}

// tally counts the cases by what changed.
func (p *page) tally(b *store.Benchmark) {
	counts := map[string]int{}
	for _, c := range b.Cases {
		counts[kindOf(b, c)]++
	}
	p.in("ul", "tally", func() {
		for _, k := range kinds() {
			if n := counts[k.name]; n > 0 {
				p.in("li", "", func() {
					p.element("b", "", fmt.Sprint(n))
					p.text(" " + k.word)
				})
			}
		}
	})
}

// knowMore says what a verdict takes where there is none, and what these cases can find.
func (p *page) knowMore(b *store.Benchmark) {
	s := b.Statistics
	if s.Baseline == "" || s.Cases == 0 || s.Verdict != stats.Inconclusive {
		return
	}
	var diffs []float64
	for _, c := range b.Cases {
		if c.Delta != nil {
			diffs = append(diffs, *c.Delta)
		}
	}
	p.section("more", "What it takes to know more", "", func() {
		var lines []string
		if s.Cases < stats.MinCases {
			lines = append(lines, fmt.Sprintf("Add %s: a verdict takes at least %d. With fewer it could be chance even if all of them were better.",
				printable.Plural(stats.MinCases-s.Cases, "case"), stats.MinCases))
		}
		rows, deviation := [][3]string{}, 0.0
		if len(diffs) > 1 {
			_, deviation = stats.Spread(diffs)
		}
		if s.Cases < stats.MinCases || deviation < 1e-6 {
			for _, n := range stats.Power() {
				rows = append(rows, [3]string{signed(n.Difference), fmt.Sprint("about ", n.Cases), more(n.Cases, s.Cases)})
			}
			lines = append(lines, "How many cases find a true difference in 80 of 100 experiments with three runs each, typically:")
		} else {
			if s.MDE80 != nil {
				lines = append(lines, fmt.Sprintf("%d cases like these find a true difference of %.2f or more in 80 of 100 experiments.", s.Cases, *s.MDE80))
			}
			if n := stats.CasesFor(math.Abs(*s.Delta), deviation); n > s.Cases && math.Abs(*s.Delta) >= 0.05 {
				lines = append(lines, fmt.Sprintf("If the difference is really %s, about %s like these find it: %d more.", signed(*s.Delta), printable.Plural(n, "case"), n-s.Cases))
			}
			for _, difference := range []float64{0.5, 0.3, 0.2, 0.1} {
				if n := stats.CasesFor(difference, deviation); n > 0 {
					rows = append(rows, [3]string{signed(difference), fmt.Sprint("about ", n), more(n, s.Cases)})
				}
			}
			lines = append(lines, runNoise(b, deviation), "How many cases find a true difference in 80 of 100 experiments, if they vary as these do:")
		}
		for _, line := range lines {
			p.element("p", "", line)
		}
		p.table("power", []string{"true difference", "cases needed", "to add"}, len(rows), func(row, column int) { p.text(rows[row][column]) })
	})
}

// more returns how many cases to add to those there are.
func more(needed, cases int) string {
	if needed <= cases {
		return "none"
	}
	return fmt.Sprint(needed - cases)
}

// runNoise says whether more runs or more cases help, from how much of the variation of
// cases comes from runs of the same case that differ.
func runNoise(b *store.Benchmark, deviation float64) string {
	shared := map[store.ID]map[string][]float64{}
	for _, r := range b.Runs {
		score, ok := store.Run{Outcomes: r.Outcomes}.SharedScore()
		if !ok {
			continue
		}
		if shared[r.ID] == nil {
			shared[r.ID] = map[string][]float64{}
		}
		shared[r.ID][r.Configuration] = append(shared[r.ID][r.Configuration], score)
	}
	noise, cases := 0.0, 0
	for _, c := range b.Cases {
		measured, baseline := shared[c.ID][store.WithSkill], shared[c.ID][b.Statistics.Baseline]
		if c.Delta == nil || min(len(measured), len(baseline)) < 2 {
			continue
		}
		cases++
		for _, scores := range [][]float64{measured, baseline} {
			_, d := stats.Spread(scores)
			noise += d * d / float64(len(scores))
		}
	}
	if cases == 0 {
		return "More runs help where the runs of a case differ, more cases otherwise."
	}
	share := noise / float64(cases) / (deviation * deviation)
	percent := int(math.Round(100 * min(1, share)))
	if percent >= 40 {
		return fmt.Sprintf("About %d %% of the variation is between runs of the same case, so more runs help too.", percent)
	}
	return fmt.Sprintf("About %d %% of the variation is between runs of the same case, so more runs help little: add cases.", percent)
}

// axis is the title of a column of pictures.
const axis = "−1 to +1"

// result writes a cell about a result: the verdict, the picture, or a number.
func (p *page) result(s store.Statistics, used []store.Usage, what string) {
	switch what {
	case "verdict":
		verdict := s.Verdict
		if s.Baseline == "" {
			verdict = "not compared"
		}
		p.element("span", "badge "+class(verdict), verdict)
	case axis:
		p.open("div", "class", class(s.Verdict))
		p.mini(s.Result)
		p.close("div")
	case "difference":
		if s.Delta == nil {
			p.text(unknown)
		} else {
			p.text(signed(*s.Delta))
		}
	case "95 % interval":
		if s.CI == nil {
			p.text(unknown)
		} else {
			p.text(signed(s.CI[0]) + " to " + signed(s.CI[1]))
		}
	case "score":
		p.text(number(s.Score, "%.2f"))
	case "cases":
		p.text(fmt.Sprint(s.Cases))
	case "tokens", "cost":
		total := store.Usage{}
		if n := len(used); n > 0 {
			total = used[n-1]
		}
		if what == "tokens" {
			p.text(tokens(sum(total.Tokens, total.JudgeTokens)))
		} else {
			p.text(price(sum(total.Cost, total.JudgeCost)))
		}
	}
}

// maxTrend is how many results of iterations are not folded.
const maxTrend = 6

// trend writes the iterations of the workspace, if there are several, the newest first.
func (p *page) trend(points []store.Point) {
	numbers := map[int]bool{}
	for _, point := range points {
		numbers[point.Number] = true
	}
	if len(numbers) < 2 {
		return
	}
	slices.SortStableFunc(points, func(x, y store.Point) int { return cmp.Compare(y.Number, x.Number) })
	const note = "Cases and models may differ between iterations; skills eval compare compares two of them case by case."
	p.section("trend", fmt.Sprintf("Iterations (%d)", len(numbers)), note, func() {
		newest := points[:min(maxTrend, len(points))]
		p.points(newest)
		if older := points[len(newest):]; len(older) > 0 {
			p.fold("looks", false, func() { p.text(printable.Plural(len(older), "older result")) }, func() { p.points(older) })
		}
	})
}

// points writes a table of results of iterations.
func (p *page) points(points []store.Point) {
	header := []string{"iteration", "started", "model", "verdict", axis, "difference", "95 % interval", "score", "cases", "tokens", "cost"}
	p.table("results", header, len(points), func(row, column int) {
		point := points[row]
		switch header[column] {
		case "iteration":
			name := fmt.Sprint(point.Number)
			if point.Meta.Partial {
				name += " (selected cases)"
			}
			if point.Current {
				p.element("b", "", name)
				p.text(" (this one)")
			} else {
				p.text(name)
			}
		case "started":
			date, clock, _ := strings.Cut(point.Meta.Timestamp, "T")
			p.text(cmp.Or(strings.TrimSpace(date+" "+clock[:min(5, len(clock))]), unknown))
		case "model":
			p.text(cmp.Or(point.Meta.Model, unknown))
		default:
			p.result(point.Statistics, point.Usage, header[column])
		}
	})
}
