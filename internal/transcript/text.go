package transcript

import (
	"fmt"
	"io"
	"strings"

	"skills/internal/agent"
	"skills/internal/terminal"
	"skills/internal/todo"
)

// TextOptions say how much the text format shows.
type TextOptions struct {
	Verbose bool // the system text and the usage of each turn as well
	Colour  bool
	Width   int // columns of a rule line; 0 for 72
	// Notes receives what is not part of the conversation: warnings, retries.
	Notes io.Writer
}

// Text shows a run for people: one block a message, under a rule line with the
// message's number and role. The numbers count what the run adds, as the
// framework's transcript does; what it was given stands before that without
// one.
func Text(w io.Writer, opt TextOptions) Printer {
	if opt.Width == 0 {
		opt.Width = 72
	}
	return &text{w: w, opt: opt, st: newStyles(w, opt.Colour), notes: newStyles(opt.Notes, opt.Colour)}
}

type text struct {
	w      io.Writer
	opt    TextOptions
	st     styles
	notes  styles
	number int
	turn   int  // turn of the open assistant block, 0 where none is open
	open   bool // whether the last line shown lacks its line feed
	deltas bool // whether the open assistant block's text came in pieces
	blocks int
	list   checklist
	err    error
}

func (p *text) Event(e agent.Event) error {
	switch e := e.(type) {
	case agent.ReadyEvent:
		if p.opt.Verbose && e.Request.Instructions != "" {
			p.given("system", e.Request.Instructions)
		}
	case agent.MessageDelta:
		p.delta(e.Text)
	case agent.MessageEvent:
		p.message(e)
	case agent.ToolCallEvent:
		p.call(e)
	case agent.ToolApproval:
		p.approval(e)
	case agent.ToolResultEvent:
		p.result(e)
	case todo.Event:
		p.list.change(e.Items) // shown under the result of the call that changed it
	case agent.UsageEvent:
		if p.opt.Verbose {
			p.note("usage", fmt.Sprintf("turn %d: %d tokens in, %d out", e.Turn, e.InputTokens, e.OutputTokens))
		}
	case agent.NoteEvent:
		p.endLine()
		p.print(p.st.dim.Render("("+terminal.Line(e.Message)+")") + "\n")
	case agent.RetryEvent:
		p.note("retry", fmt.Sprintf("attempt %d failed: %s; again in %.1f s", e.Attempt, e.Error, float64(e.DelayMS)/1000))
	case agent.WarningEvent:
		p.note("warning", e.Message)
	}
	return p.err
}

// Finish closes the last line and shows the todo list as it was left. The
// answer has been shown as a message.
func (p *text) Finish(r Result) error {
	p.endLine()
	p.left(r.TodosOpen)
	return p.err
}

func (p *text) print(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

// endLine ends a line that pieces of text left open.
func (p *text) endLine() {
	if p.open {
		p.print("\n")
		p.open = false
	}
}

// ruleMark begins every rule line, and no line of what others wrote.
const ruleMark = "─"

// rule starts a block.
func (p *text) rule(title string) {
	p.endLine()
	if p.blocks++; p.blocks > 1 {
		p.print("\n")
	}
	line := "── " + title + " "
	if n := p.opt.Width - len([]rune(line)); n > 0 {
		line += strings.Repeat("─", n)
	}
	p.print(p.st.rule.Render(line) + "\n")
}

// numbered starts the block of a message that the run adds.
func (p *text) numbered(role string) {
	p.number++
	p.rule(fmt.Sprintf("message %d · %s", p.number, role))
}

// given shows what the run was given: not numbered.
func (p *text) given(title, body string) {
	p.turn = 0
	p.rule(title)
	p.lines("", body)
}

// lines prints text with every line indented.
func (p *text) lines(indent, body string) {
	for line := range strings.SplitSeq(strings.TrimRight(terminal.Clean(body), "\n"), "\n") {
		if indent == "" && strings.HasPrefix(line, ruleMark) {
			line = " " + line // only our own lines begin like that
		}
		p.print(strings.TrimRight(indent+line, " ") + "\n")
	}
}

// note tells of something beside the conversation.
func (p *text) note(kind, message string) {
	p.endLine()
	if p.opt.Notes != nil {
		fmt.Fprintf(p.opt.Notes, "%s %s\n", p.notes.note.Render(kind+":"), terminal.Line(message))
	}
}
