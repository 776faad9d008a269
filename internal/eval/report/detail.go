package report

// An open case: the prompt, what each arm used, its assertions by run with their evidence,
// the answers of both arms next to each other, and the files that the runs left.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

const (
	maxFiles = 20      // that are shown of a run
	maxSmall = 4 << 10 // bytes of a file whose text is shown
)

// detail writes the body of a case.
func (p caseList) detail(v *caseView) {
	if v.Excluded != "" {
		p.element("p", "why", "Not compared: "+v.Excluded+".")
	}
	if v.Prompt != "" {
		p.element("h3", "", "Prompt")
		p.long("prompt", v.Prompt)
		p.otherPrompt(v)
	}
	if len(v.Checks) > 0 {
		p.assertionsOf(v)
	}
	p.answers(v)
	p.failures(v)
	p.numbers(v)
	p.files(v)
}

// long writes a text of a model or a file, cut if necessary.
func (p *page) long(class, s string) {
	shown, note := p.allow.take(s, p.allow.each)
	p.block(class, shown, note)
}

// block writes a text, and a note if it is not all of it.
func (p *page) block(class, shown, note string) {
	p.open("pre", "class", class, "tabindex", "0")
	p.text(shown)
	p.close("pre")
	if note != "" {
		p.element("p", "cut", note)
	}
}

// otherPrompt writes the prompt of the baseline if it is another one.
func (p caseList) otherPrompt(v *caseView) {
	if len(v.runs[1]) == 0 {
		return
	}
	if other := v.runs[1][0].Prompt(); other != "" && other != v.Prompt {
		p.element("h3", "", "Prompt "+p.names[1])
		p.long("prompt", other)
	}
}

// outcomes returns the outcomes of a run in the order of the case's assertions; nil where
// the run has none.
func outcomes(checks []store.Tally, r store.Result) []*store.Outcome {
	list, next := make([]*store.Outcome, len(checks)), map[string]int{}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		from := next[o.Text]
		at := slices.IndexFunc(checks[from:], func(t store.Tally) bool { return t.Text == o.Text })
		if at < 0 {
			continue
		}
		list[from+at], next[o.Text] = o, from+at+1
	}
	return list
}

// assertionsOf writes the assertions of a case with a mark for each run of each arm.
func (p caseList) assertionsOf(v *caseView) {
	var byRun [2][][]*store.Outcome
	for arm, runs := range v.runs {
		for _, r := range runs {
			byRun[arm] = append(byRun[arm], outcomes(v.Checks, r))
		}
	}
	p.element("h3", "", "Assertions")
	p.open("div", "class", "check columns", "aria-hidden", "true")
	for _, name := range []string{"", p.names[0], p.names[1]} {
		p.element("span", "", name)
	}
	p.close("div")
	for i, t := range v.Checks {
		p.open("details", "class", "check")
		p.in("summary", "", func() {
			p.in("span", "text", func() {
				p.text(p.allow.line(t.Text))
				for _, note := range notes(t) {
					p.text(" ")
					p.element("span", "chip", note)
				}
			})
			for arm := range v.runs {
				p.open("span", "class", "marks", "data-title", p.names[arm])
				n := 0
				for _, run := range byRun[arm] {
					if o := run[i]; o != nil {
						p.mark(o.Passed)
						n++
					}
				}
				if n == 0 {
					p.text(unknown)
				}
				p.close("span")
			}
		})
		p.evidence(v, byRun, i)
		p.close("details")
	}
}

// mark writes whether an assertion passed in a run.
func (p caseList) mark(passed bool) {
	sign, word, class := "✗", "failed", "no"
	if passed {
		sign, word, class = "✓", "passed", "yes"
	}
	p.open("span", "class", class, "title", word)
	p.text(sign)
	p.close("span")
}

// notes are words about an assertion.
func notes(t store.Tally) (words []string) {
	if t.Flaky() {
		words = append(words, "flaky")
	}
	if t.Silent() {
		words = append(words, "tells nothing")
	}
	if t.Arm == "with" {
		words = append(words, "not in the difference")
	}
	return words
}

// evidence writes why an assertion passed or failed in each run; equal reasons once.
func (p caseList) evidence(v *caseView, byRun [2][][]*store.Outcome, check int) {
	p.in("ul", "evidence", func() {
		for arm := range byRun {
			var texts, places []string
			for i, run := range byRun[arm] {
				if o := run[check]; o != nil {
					texts = append(texts, reason(*o))
					places = append(places, fmt.Sprint(v.runs[arm][i].Number))
				}
			}
			for _, g := range grouped(texts, places) {
				passed := strings.HasPrefix(g.message, "✓")
				p.in("li", "", func() {
					p.mark(passed)
					run := "run "
					if len(g.places) > 1 {
						run = "runs "
					}
					p.element("span", "who", " "+p.names[arm]+", "+run+strings.Join(g.places, ", ")+": ")
					p.text(p.allow.line(strings.TrimLeft(g.message, "✓✗")))
				})
			}
		}
	})
}

// reason returns the result of an assertion with its evidence.
func reason(o store.Outcome) string {
	text := o.Evidence
	if text == "" {
		text = "no evidence recorded"
	}
	if o.Found != nil && !*o.Found {
		text += " (the judge's quotation was not found)"
	}
	if o.Votes != nil {
		text += fmt.Sprintf(" (votes %d to %d)", o.Votes[0], o.Votes[1])
	}
	if o.Cut {
		text += " (the judge saw only parts of the run)"
	}
	if o.Passed {
		return "✓" + text
	}
	return "✗" + text
}

// failures writes the errors of a case's runs, equal ones once, with their transcripts.
func (p caseList) failures(v *caseView) {
	if len(v.failed) == 0 {
		return
	}
	p.element("h3", "", "Errors")
	p.open("ul", "class", "evidence")
	for i, f := range v.failed {
		isRepeated := func(other store.Failure) bool { return other.Error == f.Error }
		if slices.ContainsFunc(v.failed[:i], isRepeated) {
			continue
		}
		p.open("li")
		p.place(f)
		for _, other := range v.failed[i+1:] {
			if isRepeated(other) {
				p.text(", ")
				p.place(other)
			}
		}
		p.text(": " + p.allow.line(f.Error))
		p.close("li")
	}
	p.close("ul")
}

// place names a failed run, and links to its transcript.
func (p caseList) place(f store.Failure) {
	text := fmt.Sprintf("%s, run %d", arm(p.bench, f.Configuration), f.Number)
	if link := p.link(f.Dir, store.TranscriptPage); link != "" {
		p.open("a", "href", link)
		p.text(text)
		p.close("a")
	} else {
		p.element("span", "who", text)
	}
}

// numbers writes what a run of each arm took on average.
func (p caseList) numbers(v *caseView) {
	header := []string{"arm", "runs that pass", "score", "time", "tokens", "cost", "turns", "tool calls"}
	rows := [][]string{}
	for arm, runs := range v.runs {
		if len(runs) == 0 {
			continue
		}
		passed, averages := 0, make([][]float64, 5)
		for _, r := range runs {
			if r.Result.Passed == r.Result.Total {
				passed++
			}
			add := func(i int, known bool, value func() float64) {
				if known {
					averages[i] = append(averages[i], value())
				}
			}
			n := r.Result
			add(0, n.Time != nil, func() float64 { return *n.Time })
			add(1, n.Tokens != nil, func() float64 { return float64(*n.Tokens) })
			add(2, n.Cost != nil, func() float64 { return *n.Cost })
			add(3, r.Turns > 0, func() float64 { return float64(r.Turns) })
			add(4, n.Calls != nil, func() float64 { return float64(*n.Calls) })
		}
		row := []string{p.names[arm], fmt.Sprintf("%d of %d", passed, len(runs)), number([]*float64{v.With.Mean, v.Baseline.Mean}[arm], "%.2f")}
		for i, format := range []string{"%.1f s", "%.0f", "%.4f", "%.1f", "%.1f"} {
			cell := unknown
			if len(averages[i]) == len(runs) {
				cell = fmt.Sprintf(format, stats.Mean(averages[i]))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	p.element("h3", "", "A run, on average")
	p.table("", header, len(rows), func(row, column int) { p.text(rows[row][column]) })
}

// files writes the files that the runs left, with the text of small ones.
func (p caseList) files(v *caseView) {
	begun := false
	for arm, runs := range v.runs {
		for _, r := range runs {
			if r.Dir == "" {
				continue
			}
			list, total := r.Outputs(maxFiles, maxSmall)
			if total == 0 {
				continue
			}
			if !begun {
				p.element("h3", "", "Files left")
				begun = true
			}
			p.fold("files", false, func() {
				p.element("b", "", fmt.Sprintf("%s, run %d", p.names[arm], r.Number))
				p.element("span", "who", printable.Plural(total, "file")+": "+firstNames(list, total))
			}, func() {
				for _, f := range list {
					p.file(f)
				}
				if more := total - len(list); more > 0 {
					p.element("p", "cut", "Left out: "+printable.Plural(more, "more file")+".")
				}
			})
		}
	}
}

// firstNames returns the first names of files.
func firstNames(list []store.Output, total int) string {
	shown := printable.Map(list, func(f store.Output) string { return f.Name })
	text := strings.Join(shown[:min(3, len(shown))], ", ")
	if total > 3 {
		text += ", …"
	}
	return text
}

// file writes a file that a run left.
func (p caseList) file(f store.Output) {
	head := func() {
		p.element("code", "", f.Name)
		p.element("span", "who", " "+size(f.Size))
	}
	if f.Text == "" {
		p.in("p", "file", head)
		return
	}
	p.fold("file", false, head, func() {
		shown, note := p.small.take(f.Text, maxSmall)
		p.block("answer", shown, note)
	})
}

// size returns a number of bytes for readers.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprint(n, " bytes")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
