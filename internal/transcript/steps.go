package transcript

// The steps of the conversation. The line of a call is printed once it is known what the
// call does, and directly above its result, so that the order is the same for concurrent
// calls.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func (p *text) delta(piece string) {
	if p.flow == nil {
		p.flow = terminal.NewFlow(p.column(), p.opt.Terminal, p.opt.Colour)
	}
	begun := p.flow.Begun()
	shown := p.flow.Write(piece)
	if f := p.flow; f.Begun() && !begun {
		p.flow = nil // its text belongs below the line of the step
		p.number++
		p.turn = -1
		p.numbered(p.number, "assistant", "")
		p.flow = f
	}
	p.print(shown)
}

func (p *text) message(e agent.MessageEvent) {
	if e.Role == agent.Assistant {
		if p.flow == nil || !p.flow.Begun() { // it was not streamed
			p.flow = nil
			p.delta(e.Text)
		}
		p.endText()
		return
	}
	p.number++
	p.turn = 0
	title := string(e.Role)
	if e.Source != agent.FromUser {
		title = string(e.Source)
	}
	p.numbered(p.number, title, e.Provider)
	if e.Source == agent.FromUser {
		p.body(e.Text)
		for _, part := range e.Attachments {
			p.body(Attachment(part))
		}
		return
	}
	p.lines(p.excerpt(p.shown(e.Text, e.Shown)))
}

// reasoning shows what the model thought, dimmed.
func (p *text) reasoning(e agent.ReasoningEvent) {
	if e.Void {
		p.cutOff("this was reasoning, not the answer")
	}
	if !p.opt.Verbose {
		return
	}
	p.endText()
	p.print(p.paint(terminal.Faint, "reasoning") + "\n")
	for line := range strings.SplitSeq(strings.TrimRight(printable.Text(e.Text), "\n"), "\n") {
		p.print(p.paint(terminal.Faint, p.column().Fold(line, true)) + "\n")
	}
}

// hook says what a hook changed, with what it was before in verbose output.
func (p *text) hook(e agent.HookEvent) {
	p.header()
	p.printFaint(e.Message)
	e = shownHook(e, p.opt.Verbose)
	if e.Before != "" {
		p.body("before (" + e.Change + "):\n" + e.Before)
	}
}

// remark prints a line that is no problem.
func (p *text) remark(message string) {
	p.header()
	p.printFaint(message)
}

// loop prints a round of a loop in one line.
func (p *text) loop(e agent.LoopEvent) {
	p.endText()
	line, st := fmt.Sprintf("round %d of %d, %s: ", e.Round, e.Max, e.Check), terminal.Red
	switch {
	case e.Passed:
		line, st = line+"passed", terminal.Faint
	case e.ExitCode != nil && e.Reason == "":
		line += fmt.Sprintf("failed, exit %d", *e.ExitCode)
	default:
		line += "not yet: " + e.Reason
	}
	p.print(p.paint(terminal.Strong, "until") + " " + p.paint(st, p.column().Fold(printable.Line(line), true)[len(bodyIndent):]) + "\n")
}

// compaction says what was removed from requests.
func (p *text) compaction(e agent.CompactionEvent) {
	var what []string
	for _, part := range []struct {
		n    int
		name string
	}{{e.Exchanges, "old exchange"}, {e.Steps, "old step"}, {len(e.Replaced), "old result"}} {
		if part.n > 0 {
			what = append(what, printable.Plural(part.n, part.name))
		}
	}
	p.printFaint(fmt.Sprintf("the context is nearly full: %s removed from requests, %s → %s tokens",
		strings.Join(what, " and "), printable.Grouped(e.BeforeTokens), printable.Grouped(e.AfterTokens)))
	if !p.opt.Verbose {
		return
	}
	for _, m := range e.Replaced {
		p.body(m.ID + ": " + m.Text)
	}
	for _, r := range e.Removed {
		p.body(r.Text)
	}
}

// cutOff marks the end of an incomplete streamed reply. The next one has the same
// number.
func (p *text) cutOff(why string) {
	if !p.endText() {
		return
	}
	p.printFaint(why)
	p.number--
	p.turn = 0
}

// call queues a call. Its line is printed once it is known what the call does, after the
// results of earlier calls.
func (p *text) call(e agent.ToolCallEvent) {
	p.endText()
	if p.turn != -1 && p.turn != e.Turn || p.number == 0 {
		p.number++ // a message without text, or of an earlier run
	}
	p.turn, p.caller = e.Turn, p.number
	p.calls = append(p.calls, e)
}

// action notes what a call does.
func (p *text) action(e agent.ActionEvent) {
	p.actions[e.ID] = e.Action
	if len(p.calls) > 0 && p.calls[0].ID == e.ID {
		p.begin()
	}
}

// begin prints the line of the first call, once.
func (p *text) begin() {
	if p.begun || len(p.calls) == 0 {
		return
	}
	p.begun = true
	e := p.calls[0]
	line := agent.DescribeArguments(e.Arguments) // it was not prepared
	action, ok := p.actions[e.ID]
	if ok {
		line = action.Line
	}
	p.numbered(p.caller, e.Name, p.cut(line, action.Kind == agent.KindCommand))
	if p.opt.Verbose {
		p.body(e.ID + " " + string(e.Arguments))
	}
	p.print(p.decided[e.ID])
}

func (p *text) approval(e agent.ToolApproval) {
	first := len(p.calls) == 0 || p.calls[0].ID == e.ID
	if first {
		p.begin()
	}
	line := e.Decision + " by " + e.By
	switch e.By {
	case "flag":
		line = e.Decision
	case "nobody":
		line = "cancelled"
	}
	if e.Reason != "" {
		line += ": " + e.Reason
	}
	st := terminal.Faint
	switch e.Decision {
	case "approved":
	case "waiting":
		line, st = "waiting for an approval (call "+e.ID+"): "+e.Reason, terminal.Yellow
		p.denied = append(p.denied, e.ID)
	default:
		st = terminal.Red
		p.denied = append(p.denied, e.ID)
	}
	line = p.paint(st, p.column().Fold(printable.Line(line), true)) + "\n"
	if !first {
		p.decided[e.ID] = line
		return
	}
	p.print(line)
}

func (p *text) result(e agent.ToolResultEvent) {
	p.endText()
	if i := slices.IndexFunc(p.calls, func(c agent.ToolCallEvent) bool { return c.ID == e.ID }); i >= 0 {
		if i > 0 {
			p.calls[0], p.calls[i] = p.calls[i], p.calls[0]
			p.begun = false
		}
		p.begin()
		p.calls, p.begun = p.calls[1:], false
		delete(p.actions, e.ID)
	}
	var facts []string
	switch {
	case e.Process != nil && e.TimedOut:
		facts = append(facts, "timed out")
	case e.Process != nil:
		facts = append(facts, fmt.Sprintf("exit %d", e.ExitCode))
	case !e.OK && !e.Open:
		facts = append(facts, "failed")
	}
	if e.Truncated {
		facts = append(facts, "truncated")
	}
	if p.opt.Verbose && e.Process != nil && e.Sandbox != "" {
		facts = append(facts, "sandbox "+e.Sandbox)
	}
	if p.opt.Terminal && e.Process != nil { // otherwise the same run prints the same text
		facts = append(facts, duration(e.DurationMS))
	}
	lines := p.excerpt(p.shown(e.Output, e.Shown))
	switch {
	case p.list.changed && e.OK && !p.opt.Verbose:
		lines = nil // the list shows it
	case slices.Contains(p.denied, e.ID) && !p.opt.Verbose:
		lines, facts = nil, nil // the decision shows it
	case p.brief && e.OK && e.Summary != "":
		lines = []string{printable.Line(e.Summary)}
	}
	p.resultLines(lines, strings.Join(facts, " · "), e.OK)
	p.changes()
	p.number++
	if len(p.calls) > 0 {
		if _, known := p.actions[p.calls[0].ID]; known {
			p.begin()
		}
	}
}

func duration(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d min %d s", ms/60_000, ms/1000%60)
}

func (p *text) usage(e agent.UsageEvent) {
	line := fmt.Sprintf("turn %d: %d tokens in", e.Turn, e.InputTokens)
	if e.CachedTokens > 0 {
		line += fmt.Sprintf(" (%d cached)", e.CachedTokens)
	}
	line += fmt.Sprintf(", %d out", e.OutputTokens)
	if e.ReasoningTokens > 0 {
		line += fmt.Sprintf(" (%d reasoning)", e.ReasoningTokens)
	}
	p.note("usage", line)
}

// Attachment formats an attached file for users: name, type and size.
func Attachment(p agent.Part) string {
	return fmt.Sprintf("[%s · %s · %s]", printable.Line(p.Name), p.Type, printable.Plural(p.Size, "byte"))
}
