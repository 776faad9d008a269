package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/terminal"
)

// delta shows a piece of the model's text as it arrives.
func (p *text) delta(piece string) {
	if !p.deltas {
		if piece = strings.TrimLeft(piece, " \n\r\t"); piece == "" {
			return // nothing to see yet
		}
		p.numbered("assistant")
		p.deltas, p.turn = true, -1
	}
	piece = terminal.Clean(piece)
	if !p.open && strings.HasPrefix(piece, ruleMark) {
		p.print(" ") // only our own lines begin like that
	}
	p.print(strings.ReplaceAll(piece, "\n"+ruleMark, "\n "+ruleMark))
	p.open = piece != "" && !strings.HasSuffix(piece, "\n") || p.open && piece == ""
}

func (p *text) message(e agent.MessageEvent) {
	switch {
	case e.Role != agent.Assistant:
		p.deltas = false
		title := string(e.Role)
		if e.Source != agent.FromUser {
			title = string(e.Source)
		}
		p.given(title, e.Text)
	case p.deltas:
		p.endLine() // shown already
		p.deltas = false
	default:
		p.numbered("assistant")
		p.turn = -1
		p.lines("", e.Text)
	}
}

// call shows a tool call in the block of its assistant message, which it opens
// where the model said nothing besides.
func (p *text) call(e agent.ToolCallEvent) {
	p.deltas = false
	switch {
	case p.turn == -1:
		p.endLine()
	case p.turn != e.Turn:
		p.numbered("assistant")
	}
	p.turn = e.Turn
	p.print(p.st.tool.Render("call "+terminal.Line(e.Name)) + p.st.dim.Render(" "+terminal.Line(e.ID)) + "\n")
	for _, a := range argumentLines(e.Arguments) {
		p.lines("  ", a)
	}
}

// argumentLines writes arguments one a line, in the order in which the model
// gave them.
func argumentLines(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return []string{string(raw)}
	}
	var out []string
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return []string{string(raw)}
		}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil {
			text = strings.ReplaceAll(s, "\n", "\n    ")
		}
		out = append(out, fmt.Sprintf("%s = %s", terminal.Line(fmt.Sprint(key)), text))
	}
	return out
}

func (p *text) approval(e agent.ToolApproval) {
	p.endLine()
	line := e.ID + " " + e.Decision + " by " + e.By
	if e.Reason != "" {
		line += ": " + e.Reason
	}
	style := p.st.good
	if e.Decision != "approved" {
		style = p.st.bad
	}
	p.print("  " + style.Render(terminal.Line(line)) + "\n")
}

func (p *text) result(e agent.ToolResultEvent) {
	p.turn, p.deltas = 0, false
	p.numbered("tool")
	state := p.st.good.Render("ok")
	if !e.OK {
		state = p.st.bad.Render("failed")
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
	line := p.st.tool.Render("result of "+terminal.Line(e.Name)) + p.st.dim.Render(" "+terminal.Line(e.ID)) + " " + state
	if len(facts) > 0 {
		line += p.st.dim.Render(" (" + terminal.Line(strings.Join(facts, ", ")) + ")")
	}
	p.print(line + "\n")
	p.lines("  ", e.Output)
	p.todos()
}
