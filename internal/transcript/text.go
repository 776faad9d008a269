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
	// Verbose adds what the model saw: the system text, the tools, what stands
	// at the end of requests, the usage of each turn. Nothing is cut.
	Verbose bool
	// Terminal says that a person watches: long texts are cut to their ends,
	// and calls tell how long they took.
	Terminal bool
	Colour   bool // style what is ours, and the model's Markdown
	Width    int  // columns of a rule line; 0 for 72
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
	return &text{w: w, opt: opt, brief: opt.Terminal && !opt.Verbose}
}

type text struct {
	w      io.Writer
	opt    TextOptions
	brief  bool // whether long texts are cut
	number int
	again  bool  // whether the next message takes the place of one that broke off
	turn   int   // turn of the open assistant block, -1 where it is not known, 0 where none is open
	flow   *flow // the model's text, while it comes
	open   bool  // whether the last line shown lacks its line feed
	blocks int
	list   checklist
	tail   string       // what was last shown of the ends of requests
	out    bytes.Buffer // what of an event is not written yet: one write for all its lines
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
		p.brokenOff("the reply broke off; asking again")
		p.note("retry", fmt.Sprintf("attempt %d failed: %s; again in %.1f s", e.Attempt, e.Error, float64(e.DelayMS)/1000))
	case agent.WarningEvent:
		p.note("warning", e.Message)
	case Started:
	default: // shown whole, so that a new kind of event is never lost
		fields, err := printable.JSON(e)
		if err != nil {
			fields = []byte(err.Error())
		}
		p.aside(e.EventType() + ": " + string(fields))
	}
}

// aside prints a remark of ours on a line of its own.
func (p *text) aside(remark string) {
	p.endLine()
	p.print(p.paint(faint, "("+printable.Line(remark)+")") + "\n")
}

// Open reports whether the last line lacks its line feed: what is written to
// the same terminal would tear it.
func (p *text) Open() bool { return p.open }

// Finish closes the last line and shows the todo list as it was left. The
// answer has been shown as a message.
func (p *text) Finish(r Result) error {
	p.brokenOff("the reply broke off")
	p.left(r.TodosOpen)
	p.flush()
	return p.err
}

// ready shows what the model is told in every request.
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

// request shows what stands at the end of a request besides the conversation,
// where it is not what stood there before.
func (p *text) request(e agent.RequestEvent) {
	var texts []string
	for _, m := range e.Tail {
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

// paint styles text of ours where the output has colour.
func (p *text) paint(st style, s string) string {
	if !p.opt.Colour {
		return s
	}
	return st.render(s)
}

func (p *text) print(s string) {
	if p.err == nil {
		p.out.WriteString(s)
	}
}

// flush writes what an event has printed so far.
func (p *text) flush() {
	if p.err == nil && p.out.Len() > 0 {
		_, p.err = p.w.Write(p.out.Bytes())
	}
	p.out.Reset()
}

// endLine ends a line that pieces of text left open.
func (p *text) endLine() {
	if p.flow != nil {
		p.show(p.flow.endLine())
	}
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
	line := "── " + printable.Line(title) + " "
	if n := p.opt.Width - len([]rune(line)); n > 0 {
		line += strings.Repeat("─", n)
	}
	p.print(p.paint(strong+blue, line) + "\n")
}

// numbered starts the block of a message that the run adds.
func (p *text) numbered(role string) {
	p.number++
	title := fmt.Sprintf("message %d · %s", p.number, role)
	if p.again {
		title += " · again"
		p.again = false
	}
	p.rule(title)
}

// given shows what the run was given: not numbered.
func (p *text) given(title, body string) {
	p.turn = 0
	p.rule(title)
	p.lines("", body)
}

// lines prints text with every line indented.
func (p *text) lines(indent, body string) {
	for _, line := range p.some(body, textHead, textTail) {
		if indent == "" && strings.HasPrefix(line, ruleMark) {
			line = " " + line // only our own lines begin like that
		}
		p.line(indent, line)
	}
}

// line prints a line after what stands before it, without white space at its
// end.
func (p *text) line(before, line string) {
	if line = strings.TrimRight(line, " "); line == "" {
		before = strings.TrimRight(before, " ")
	}
	p.print(before)
	p.print(line)
	p.print("\n")
}

// note tells of something beside the conversation.
func (p *text) note(kind, message string) {
	p.endLine()
	if p.opt.Notes != nil {
		p.flush() // both may be the same terminal
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
