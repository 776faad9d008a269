package report

// The answers of a case's runs: those of both arms next to each other, with their
// differences marked, and what a judge said about the two.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/printable"
)

const maxPairs = 20 // runs of a case whose answers are shown

// answers writes the answers of both arms, run by run, next to each other. The first run is
// open. Runs of other programs have no answer, and only their transcripts are named.
func (p caseList) answers(v *caseView) {
	numbers, any := []int{}, false
	for _, runs := range v.runs {
		for _, r := range runs {
			numbers = append(numbers, r.Number)
			text, _, err := r.Answer, 0, error(nil)
			if text == "" && !any {
				text, _, err = r.ReadAnswer(0)
			}
			any = any || text != "" || err != nil
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	switch {
	case len(numbers) == 0:
		return
	case !any:
		p.transcripts(v)
		return
	}
	p.element("h3", "", "Answers")
	for i, number := range numbers[:min(maxPairs, len(numbers))] {
		p.pair(v, number, i == 0)
	}
	if more := len(numbers) - maxPairs; more > 0 {
		p.element("p", "cut", "Left out: the answers of "+printable.Plural(more, "more run")+".")
	}
}

// transcripts links to the transcripts of runs without an answer.
func (p caseList) transcripts(v *caseView) {
	begun := false
	for arm, runs := range v.runs {
		for _, r := range runs {
			link := p.link(r.Dir, store.TranscriptPage)
			if link == "" {
				continue
			}
			if !begun {
				p.element("h3", "", "Transcripts")
				p.open("ul", "class", "evidence")
				begun = true
			}
			p.open("li")
			p.open("a", "href", link)
			p.text(fmt.Sprintf("%s, run %d", p.names[arm], r.Number))
			p.close("a", "li")
		}
	}
	if begun {
		p.close("ul")
	}
}

// pair writes the answers of one run in both arms.
func (p caseList) pair(v *caseView, run int, open bool) {
	var list [2]*store.Result
	var answers, cuts [2]string
	for arm, runs := range v.runs {
		for i := range runs {
			if runs[i].Number == run {
				list[arm] = &runs[i]
				answers[arm], cuts[arm] = p.answer(runs[i])
			}
		}
	}
	parts, hint := compared(answers, cuts)
	p.fold("pair", open, func() {
		p.element("b", "", fmt.Sprint("Run ", run))
		for arm, r := range list {
			if r != nil {
				p.element("span", "who", fmt.Sprintf("%s %.2f", p.names[arm], r.Result.Score))
			}
		}
	}, func() {
		p.open("div", "class", "sides")
		for arm, r := range list {
			if r != nil {
				p.side(arm, *r, parts[arm], cuts[arm])
			}
		}
		p.close("div")
		if hint != "" {
			p.element("p", "hint", hint)
		}
		p.compared(v, run)
	})
}

// compared writes what a judge said about a run of both arms, in both orders.
func (p caseList) compared(v *caseView, run int) {
	if p.bench.Pairwise == nil {
		return
	}
	for _, pair := range p.bench.Pairwise.Pairs {
		if pair.ID != v.ID || pair.Number != run {
			continue
		}
		p.open("ul", "class", "evidence")
		for _, o := range pair.Orders {
			p.open("li")
			winner := "a tie"
			if o.Winner != store.Tie {
				winner = arm(p.bench, o.Winner) + " is better"
			}
			p.element("span", "who", fmt.Sprintf("Judge, %s first: %s. ", arm(p.bench, o.First), winner))
			p.text(p.allow.line(o.Reason))
			p.close("li")
		}
		p.close("ul")
	}
}

// compared returns the parts of two answers, and what is marked in them.
func compared(answers, cuts [2]string) (parts [2][]piece, hint string) {
	parts = [2][]piece{{{text: answers[0]}}, {{text: answers[1]}}}
	switch {
	case answers[0] == "" || answers[1] == "":
		return parts, ""
	case answers[0] == answers[1] && cuts[0]+cuts[1] != "":
		return parts, "What is shown of both answers is the same."
	case answers[0] == answers[1]:
		return parts, "Both answers are the same."
	}
	left, right, marked := compare(answers[0], answers[1])
	if !marked {
		return parts, "The answers have little in common, so differences are not marked."
	}
	return [2][]piece{left, right}, "Marked: words that only this answer has."
}

// side writes the answer of a run in one arm.
func (p caseList) side(arm int, r store.Result, parts []piece, cut string) {
	class := [2]string{"with", "base"}[arm]
	p.open("div", "class", "side")
	p.in("h4", class, func() {
		p.element("span", "", p.names[arm])
		if link := p.link(r.Dir, store.TranscriptPage); link != "" {
			p.open("a", "href", link)
			p.text("transcript")
			p.close("a")
		}
	})
	if len(parts) > 0 && parts[0].text != "" {
		p.pieces(parts, class)
	}
	if cut != "" {
		p.element("p", "cut", cut)
	}
	p.close("div")
}

// pieces writes an answer with what the other one does not have marked.
func (p caseList) pieces(parts []piece, class string) {
	p.open("pre", "class", "answer", "tabindex", "0") // a long one scrolls
	for _, part := range parts {
		if part.differs && strings.TrimSpace(part.text) != "" {
			p.element("mark", class, part.text)
		} else {
			p.text(part.text)
		}
	}
	p.close("pre")
}

// answer returns what the page shows of the answer of a run, and a note.
func (p caseList) answer(r store.Result) (shown, note string) {
	text, size, err := r.Answer, len(r.Answer), error(nil)
	if text == "" {
		text, size, err = r.ReadAnswer(p.allow.each)
	}
	if err != nil {
		return "", "The answer cannot be shown: " + err.Error() + "."
	}
	if text == "" {
		return "", "No answer is stored."
	}
	return p.allow.start(text, size, p.allow.each)
}
