package transcript

import (
	"maps"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
)

// header prints the line before the first step.
func (p *text) header() {
	e := p.started
	if e.Model == "" {
		return // already printed
	}
	p.started = Started{}
	if e.Continued != "" {
		p.notice(printable.Line("continuing " + e.Continued))
	}
	parts := []string{e.Model, e.BaseURL, printable.Plural(len(e.Skills), "skill")}
	switch {
	case e.NoSandbox != "":
		parts = append(parts, e.NoSandbox)
	case e.Sandbox != "":
		parts = append(parts, "sandbox "+e.Sandbox)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if p.opt.Verbose {
			parts = append(parts, "header "+name+": "+e.Headers[name])
		}
	}
	p.printSummaryLine(parts)
}

// footer prints the line after the last step.
func (p *text) footer(r Result) {
	if r.Turns == 0 {
		return
	}
	parts := []string{printable.Plural(r.Turns, "turn"), printable.Plural(r.ToolCalls, "tool call")}
	if p.tokens > 0 {
		parts = append(parts, printable.Grouped(p.tokens)+" tokens")
	}
	if r.Cost != nil {
		parts = append(parts, "cost "+agent.Amount(*r.Cost))
	}
	if p.opt.Timed {
		parts = append(parts, duration(r.DurationMS))
	}
	if p.opt.Continue != "" {
		parts = append(parts, "continue: "+p.opt.Continue)
	}
	p.printSummaryLine(parts)
}

// printSummaryLine writes the first or last line of a run to Notes.
func (p *text) printSummaryLine(parts []string) {
	p.notice(p.paint(terminal.Faint, printable.Line(strings.Join(parts, " · "))))
}
