package transcript

import (
	"fmt"
	"slices"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
)

// Waiting wraps a printer with a status line that shows what it waits for. Finish
// closes the line.
func Waiting(p Printer, line *terminal.Status) Printer { return &waiting{Printer: p, line: line} }

// running is a call without a result.
type running struct{ id, target, progress string }

type waiting struct {
	Printer
	line    *terminal.Status
	model   string
	tokens  int64     // of the run, as the server reports them
	arrived int64     // of the reply that is being received
	loading bool      // whether the server is loading the model
	holder  string    // the hook for which the reply is held back, or ""
	running []running // calls without a result
	asking  bool      // whether the model's reply comes next
}

// Event prints the event while the line is hidden.
func (p *waiting) Event(e agent.Event) error {
	if progress, ok := e.(agent.ProgressEvent); ok && !p.loading {
		p.arrived = progress.Tokens
		p.line.Note(p.note()) // without hiding the line, which would flicker
		return nil
	}
	if progress, ok := e.(agent.CallProgressEvent); ok {
		if i := p.call(progress.ID); i >= 0 {
			p.running[i].progress = progress.Text
			p.line.Note(p.note())
		}
		return nil
	}
	p.line.Hold()
	defer p.line.Release()
	err := p.Printer.Event(e)
	p.loading, p.holder = false, ""
	switch e := e.(type) {
	case agent.HeldEvent:
		p.holder = e.For
	case agent.LoadingEvent:
		p.loading = true
	case agent.ProgressEvent:
		p.arrived = e.Tokens
	case Started:
		p.model, p.asking = e.Model, true
	case agent.RequestEvent, agent.RetryEvent:
		p.asking, p.arrived = true, 0
	case agent.MessageEvent:
		p.asking, p.arrived = e.Role != agent.Assistant, 0
	case agent.ToolCallEvent:
		p.running, p.asking, p.arrived = append(p.running, running{id: e.ID, target: e.Name}), false, 0
	case agent.ActionEvent:
		if i := p.call(e.ID); i >= 0 && e.Action.Kind == agent.KindScript {
			p.running[i].target = e.Action.Target()
		}
	case agent.ToolApproval:
		p.line.Wait("", "") // the time of the prompt does not count for the tool
	case agent.ToolResultEvent:
		p.running = slices.DeleteFunc(p.running, func(c running) bool { return c.id == e.ID })
	case agent.UsageEvent:
		p.tokens += e.InputTokens + e.OutputTokens
	}
	p.line.Wait(p.activity(), p.note())
	return err
}

// call returns the index of a call without a result, or -1.
func (p *waiting) call(id string) int {
	return slices.IndexFunc(p.running, func(c running) bool { return c.id == id })
}

// note returns the progress of the first call, the tokens of the reply that is being
// received, or those of the run.
func (p *waiting) note() string {
	switch {
	case len(p.running) > 0 && p.running[0].progress != "":
		return printable.TruncateMiddle(p.running[0].progress, 60)
	case p.arrived == 1:
		return "about 1 token received"
	case p.arrived > 0:
		return "about " + printable.Grouped(p.arrived) + " tokens received"
	case p.tokens > 0:
		return printable.Grouped(p.tokens) + " tokens"
	}
	return ""
}

// Finish closes the line and prints the result.
func (p *waiting) Finish(r Result) error {
	p.line.Close()
	p.line.Hold()
	defer p.line.Release()
	return p.Printer.Finish(r)
}

// activity returns what the run waits for, or "" if there is nothing or output is
// within a line.
func (p *waiting) activity() string {
	if printer, ok := p.Printer.(interface{ Open() bool }); ok && printer.Open() {
		return ""
	}
	text := ""
	switch {
	case p.holder != "":
		text = "reply held back until " + printable.TruncateMiddle(printable.Line(p.holder), 40) + " has decided"
	case p.asking:
		text = "waiting for " + printable.TruncateMiddle(p.model, 40)
		if p.loading {
			text += ", which is being loaded"
		}
	}
	if n := len(p.running); n > 0 {
		text = "running " + printable.TruncateMiddle(p.running[0].target, 40)
		if n > 1 {
			text += fmt.Sprintf(", %d more", n-1)
		}
	}
	return text
}
