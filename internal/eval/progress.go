package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
)

// progress is what the status line shows; the holder of the line may use it.
type progress struct {
	line    *terminal.Status // invisible unless standard error is a terminal
	began   time.Time
	total   int
	done    int
	fresh   int // of done: those that were not stored
	running []*caseRun
}

// noteLoading says once that a server is loading the model.
func (e *Eval) noteLoading(text string) { e.loading.Do(func() { e.o.Note(text) }) }

// begin shows the progress of all runs of skills until end is called.
func (e *Eval) begin(skills ...*skillEval) (end func()) {
	e.progress = progress{line: e.statusLine(), began: time.Now()}
	for _, s := range skills {
		e.progress.total += len(s.runs)
	}
	return e.progress.line.Close
}

// statusLine returns a new status line, which also guards the progress.
func (e *Eval) statusLine() *terminal.Status {
	if e.o.Status != nil {
		return e.o.Status()
	}
	return terminal.NewStatus(io.Discard, func() int { return 0 }, time.Now, nil)
}

// show updates the status line for a run in a turn: 0 before the first, -1 at the end.
func (e *Eval) show(r *caseRun, turn int) {
	p := &e.progress
	p.line.Hold()
	defer p.line.Release()
	switch {
	case turn == 0:
		r.began = time.Now()
		p.running = append(p.running, r)
	case turn < 0:
		p.done++
		if r.turn > 0 {
			p.fresh++
		}
		p.running = slices.DeleteFunc(p.running, func(other *caseRun) bool { return other == r })
	}
	r.turn = turn
	const cells = 10
	full := cells * p.done / p.total
	bar := strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	usage, _ := e.meter.read()
	note := printable.Grouped(usage.InputTokens+usage.OutputTokens) + " tokens"
	if e.o.Budget.Price != (agent.Price{}) {
		note += fmt.Sprintf(", cost %.2f", e.meter.spent())
	}
	if p.fresh > 0 {
		left := time.Since(p.began) / time.Duration(p.fresh) * time.Duration(p.total-p.done)
		note += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	title := fmt.Sprintf("%s %d/%d runs", bar, p.done, p.total)
	if e.o.member != nil {
		title = e.o.member.name + " " + title
	}
	p.line.Wait(title, note)
	p.line.Below(p.began, p.lines)
}

func (p *progress) lines() (lines []string) {
	for _, r := range p.running {
		spent := time.Since(r.began).Truncate(time.Second)
		lines = append(lines, fmt.Sprintf("  %s · %s · run %d · turn %d · %v", r.c.ID, r.out.Configuration, r.out.Number, r.turn, spent))
	}
	return lines
}
