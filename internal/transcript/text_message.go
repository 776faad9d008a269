package transcript

import (
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
)

// delta shows a piece of the model's text as it arrives.
func (p *text) delta(piece string) {
	if p.flow == nil {
		p.flow = &flow{}
		if p.opt.Colour {
			p.flow.style = &styler{}
		}
	}
	begun := p.flow.begun
	shown := p.flow.write(piece)
	if f := p.flow; f.begun && !begun {
		p.flow = nil // its text belongs below the rule
		p.numbered("assistant")
		p.turn, p.flow = -1, f
	}
	p.show(shown)
}

// show prints a part of a line.
func (p *text) show(shown string) {
	if shown != "" {
		p.print(shown)
		p.open = !strings.HasSuffix(shown, "\n")
	}
}

// endText ends the text of the model and reports whether any was visible.
func (p *text) endText() bool {
	if p.flow == nil {
		return false
	}
	begun := p.flow.begun
	p.show(p.flow.end())
	p.flow = nil
	p.endLine()
	return begun
}

func (p *text) message(e agent.MessageEvent) {
	if e.Role != agent.Assistant {
		p.endText()
		title := string(e.Role)
		if e.Source != agent.FromUser {
			title = string(e.Source)
		}
		if e.Provider != "" {
			title += " · " + e.Provider
		}
		p.given(title, e.Text)
		return
	}
	if p.flow == nil || !p.flow.begun { // it was not streamed
		p.flow = nil
		p.delta(e.Text)
	}
	p.endText()
}

// cutOff notes that a streamed reply ends here. The next one has the same
// number.
func (p *text) cutOff(why string) {
	if !p.endText() {
		return
	}
	p.aside(why)
	p.turn, p.again = 0, true
	p.number--
}

// call shows a tool call in the block of its assistant message, which it opens
// if the message had no text.
func (p *text) call(e agent.ToolCallEvent) {
	p.endText()
	if p.turn != -1 && p.turn != e.Turn {
		p.numbered("assistant")
	}
	p.turn = e.Turn
	p.print(p.paint(cyan, "call "+printable.Line(e.Name)) + p.paint(faint, " "+printable.Line(e.ID)) + "\n")
	p.arguments(e.Arguments)
}

func (p *text) approval(e agent.ToolApproval) {
	p.endLine()
	line := e.ID + " " + e.Decision + " by " + e.By
	if e.Reason != "" {
		line += ": " + e.Reason
	}
	st := green
	if e.Decision != "approved" {
		st = red
	}
	p.print("  " + p.paint(st, printable.Line(line)) + "\n")
}

func (p *text) result(e agent.ToolResultEvent) {
	p.endText()
	p.turn = 0
	p.numbered("tool")
	state := p.paint(green, "ok")
	if !e.OK {
		state = p.paint(red, "failed")
	}
	var facts []string
	if e.ExitCode != nil {
		facts = append(facts, fmt.Sprintf("exit code %d", *e.ExitCode))
	}
	if e.TimedOut != nil && *e.TimedOut {
		facts = append(facts, "timed out")
	}
	if e.Sandbox != "" {
		facts = append(facts, "sandbox "+e.Sandbox)
	}
	if e.Truncated {
		facts = append(facts, "cut")
	}
	if p.opt.Terminal { // otherwise the same run prints the same text
		facts = append(facts, duration(e.DurationMS))
	}
	line := p.paint(cyan, "result of "+printable.Line(e.Name)) + p.paint(faint, " "+printable.Line(e.ID)) + " " + state
	if len(facts) > 0 {
		line += p.paint(faint, " ("+printable.Line(strings.Join(facts, ", "))+")")
	}
	p.print(line + "\n")
	p.lines("  ", e.Output)
	p.changes()
}

// duration formats milliseconds for people.
func duration(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d min %d s", ms/60_000, ms/1000%60)
}
