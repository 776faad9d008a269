package transcript

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/todo"
)

// TextOptions say how much the text format shows.
type TextOptions struct {
	// Verbose adds the system text, the tools, the messages at the end of
	// requests and the token usage of each turn. Nothing is shortened.
	Verbose bool
	// Terminal is for a person who watches: long texts are shortened, and
	// results have their duration.
	Terminal bool
	Colour   bool // style the output, and the Markdown of the model
	Width    int  // columns of a rule line; 0 for 72
	// Notes receives warnings and retries, nil for nobody.
	Notes io.Writer
}

// Text prints a run for people: one block a message, under a rule line with the
// message's number and role. Messages that the run was given have no number.
func Text(w io.Writer, opt TextOptions) Printer {
	if opt.Width == 0 {
		opt.Width = 72
	}
	return &text{w: w, opt: opt, brief: opt.Terminal && !opt.Verbose}
}

type text struct {
	w      io.Writer
	opt    TextOptions
	brief  bool // whether long texts are shortened
	number int
	again  bool  // whether the next message replaces one that was cut off
	turn   int   // of the open assistant block: -1 if not known yet, 0 if none is open
	flow   *flow // the text of the model while it arrives
	open   bool  // whether the last line lacks its line feed
	blocks int
	list   checklist
	tail   string       // the messages that were last shown of the end of a request
	out    bytes.Buffer // collects the lines of an event for one write
	err    error
}

func (p *text) Event(e agent.Event) error {
	p.event(e)
	p.flush()
	return p.err
}

func (p *text) event(e agent.Event) {
	switch e := e.(type) {
	case agent.ReadyEvent:
		p.ready(e.Request)
	case agent.RequestEvent:
		p.request(e)
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
		p.aside(e.Message)
	case agent.RetryEvent:
		p.cutOff("the reply was cut off; retrying")
		p.note("retry", fmt.Sprintf("attempt %d failed: %s; retrying in %.1f s", e.Attempt, e.Error, float64(e.DelayMS)/1000))
	case agent.WarningEvent:
		p.note("warning", e.Message)
	case Started:
	default: // a new kind of event is never lost
		p.aside(e.EventType() + ": " + printable.JSONText(e))
	}
}

// aside prints a remark on a line of its own.
func (p *text) aside(remark string) {
	p.endLine()
	p.print(p.paint(faint, "("+printable.Line(remark)+")") + "\n")
}

// Open reports whether the last line lacks its line feed, so that other output
// to the same terminal would end up in it.
func (p *text) Open() bool { return p.open }

// Finish ends the last line and shows the todo list. The answer was already
// shown as a message.
func (p *text) Finish(r Result) error {
	p.cutOff("the reply was cut off")
	p.left(r.TodosOpen)
	p.flush()
	return p.err
}

// ready shows the system text and the tools.
func (p *text) ready(r agent.Request) {
	if !p.opt.Verbose {
		return
	}
	if r.Instructions != "" {
		p.given("system", r.Instructions)
	}
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	if len(names) > 0 {
		p.given("tools", strings.Join(names, ", "))
	}
}

// request shows the context messages at the end of a request, if they have
// changed.
func (p *text) request(e agent.RequestEvent) {
	var texts []string
	for _, m := range e.Ephemeral {
		texts = append(texts, m.Text)
	}
	tail := strings.Join(texts, "\n\n")
	if !p.opt.Verbose || tail == "" || tail == p.tail {
		return
	}
	p.tail = tail
	title := fmt.Sprintf("context · at the end of request %d", e.Turn)
	if e.Closing {
		title += ", without tools"
	}
	p.given(title, tail)
}

// paint styles text if the output has colour.
func (p *text) paint(st style, s string) string {
	if !p.opt.Colour {
		return s
	}
	return st.render(s)
}

func (p *text) print(s string) { p.out.WriteString(s) }

// flush writes what has been printed so far.
func (p *text) flush() {
	if p.err == nil && p.out.Len() > 0 {
		_, p.err = p.w.Write(p.out.Bytes())
	}
	p.out.Reset()
}

// endLine ends a line that is still open.
func (p *text) endLine() {
	if p.flow != nil {
		p.show(p.flow.endLine())
	}
	if p.open {
		p.print("\n")
		p.open = false
	}
}

// ruleMark is how rule lines begin, and no line of other text does.
const ruleMark = "─"

// rule starts a block.
func (p *text) rule(title string) {
	p.endLine()
	if p.blocks++; p.blocks > 1 {
		p.print("\n")
	}
	line := "── " + printable.Line(title) + " "
	if n := p.opt.Width - len([]rune(line)); n > 0 {
		line += strings.Repeat("─", n)
	}
	p.print(p.paint(strong+blue, line) + "\n")
}

// numbered starts the block of a message of the run.
func (p *text) numbered(role string) {
	p.number++
	title := fmt.Sprintf("message %d · %s", p.number, role)
	if p.again {
		title += " · again"
		p.again = false
	}
	p.rule(title)
}

// given shows a message that the run was given.
func (p *text) given(title, body string) {
	p.turn = 0
	p.rule(title)
	p.lines("", body)
}

// lines prints text with every line indented.
func (p *text) lines(indent, body string) {
	for _, row := range p.rows(body, len(indent), textHead, textTail) {
		if indent == "" && strings.HasPrefix(row, ruleMark) {
			row = " " + row // do not imitate a rule line
		}
		p.line(indent, row)
	}
}

// line prints a line after its indentation, without spaces at the end.
func (p *text) line(before, line string) {
	if line = strings.TrimRight(line, " "); line == "" {
		before = strings.TrimRight(before, " ")
	}
	p.print(before + line + "\n")
}

// note writes a warning or the like to opt.Notes.
func (p *text) note(kind, message string) {
	p.endLine()
	if p.opt.Notes != nil {
		p.flush() // both may go to the same terminal
		fmt.Fprintf(p.opt.Notes, "%s %s\n", p.paint(strong+yellow, kind+":"), printable.Line(message))
	}
}

// style is a set of SGR parameters that begin with ';', "" for none. Styles
// are combined by concatenation.
type style string

// The styles use the sixteen colours that every theme has.
const (
	plain                              style = ""
	strong, faint, emphasis, underline style = ";1", ";2", ";3", ";4"
	red, green, yellow, blue, cyan     style = ";31", ";32", ";33", ";34", ";36"
)

// render returns text in the style.
func (st style) render(text string) string {
	if st == plain || text == "" {
		return text
	}
	return "\x1b[" + string(st[1:]) + "m" + text + "\x1b[0m"
}
