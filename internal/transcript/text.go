package transcript

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
	"skills/internal/todo"
)

// TextOptions configures the text format.
type TextOptions struct {
	// Verbose adds the protocol: the system text, the tools, call IDs, JSON arguments,
	// complete results, the messages at the end of requests, the token usage of a turn.
	Verbose bool
	// Terminal adapts output to a terminal: long results are excerpts, lines are
	// wrapped, tables are aligned, and results have a duration.
	Terminal bool
	Colour   bool // style the output, and the Markdown of the model
	Width    int  // columns of the terminal; 0 for 80
	// Resized returns the current columns of the terminal, 0 if unknown; nil if they do
	// not change.
	Resized func() int
	// Notes receives the lines before and after the run, warnings and retries; may be
	// nil.
	Notes io.Writer
	// Continue is the command that continues the conversation, or "".
	Continue string
	// Timed adds the duration to the closing line.
	Timed bool
}

// Text prints a run for users: one step per line, with the number of its message in the
// conversation, followed by its indented text or result.
func Text(w io.Writer, opt TextOptions) Printer {
	if opt.Width == 0 {
		opt.Width = 80
	}
	return &text{w: w, opt: opt, brief: opt.Terminal && !opt.Verbose, decided: map[string]string{}, actions: map[string]agent.Summary{}}
}

type text struct {
	w       io.Writer
	opt     TextOptions
	brief   bool                     // whether results are excerpts
	number  int                      // of the last message
	turn    int                      // of the model's last message: -1 if unknown, 0 if none is open
	caller  int                      // the message with the current calls
	flow    *terminal.Flow           // the model's text while it is streamed
	calls   []agent.ToolCallEvent    // without a result
	begun   bool                     // whether the line of the first call is printed
	actions map[string]agent.Summary // of the calls without a result
	decided map[string]string        // lines about calls that are printed later
	denied  []string                 // the denied calls
	list    checklist
	context string // the messages last shown for the end of a request
	started Started
	tokens  int64
	out     bytes.Buffer // collects the lines of an event for one write
	err     error
}

func (p *text) Event(e agent.Event) error {
	p.event(e)
	p.flush()
	return p.err
}

func (p *text) event(e agent.Event) {
	switch e := e.(type) {
	case Started:
		p.started = e
	case agent.ReadyEvent:
		p.header()
		p.ready(e.Request)
	case agent.ContextEvent:
		p.ready(e.Request)
	case agent.RequestEvent:
		p.request(e)
	case agent.MessageDelta:
		p.delta(e.Text)
	case agent.MessageEvent:
		p.message(e)
	case agent.ToolCallEvent:
		p.call(e)
	case agent.ActionEvent:
		p.action(e)
	case agent.ToolApproval:
		p.approval(e)
	case agent.ToolResultEvent:
		p.result(e)
	case todo.Event:
		p.list.items, p.list.changed = e.Items, true // shown as the result of the call that changed it
	case agent.UsageEvent:
		p.tokens += e.InputTokens + e.OutputTokens
		if p.opt.Verbose {
			p.usage(e)
		}
	case agent.NoteEvent:
		p.header()
		p.printFaint(e.Message)
	case agent.CompactionEvent:
		p.printFaint(fmt.Sprintf("the context is nearly full: %s removed from requests, %s → %s tokens",
			printable.Plural(len(e.Replaced), "old result"), printable.Grouped(e.BeforeTokens), printable.Grouped(e.AfterTokens)))
		if p.opt.Verbose {
			for _, m := range e.Replaced {
				p.body(m.ID + ": " + m.Text)
			}
		}
	case agent.RetryEvent:
		p.cutOff("the reply was cut off; retrying")
		p.note(fmt.Sprintf("retry %d", e.Attempt), fmt.Sprintf("%s; retrying in %.1f s", strings.TrimSuffix(e.Error, "."), float64(e.DelayMS)/1000))
	case agent.WarningEvent:
		p.note("warning", e.Message)
	default: // a new kind of event is never lost
		p.printFaint(e.EventType() + ": " + printable.JSONText(e))
	}
}

// Open reports whether other output to the terminal would be appended to the last line.
func (p *text) Open() bool { return p.flow != nil && p.flow.InLine() }

// Finish ends the last line and writes the end of the run to Notes; the answer is
// already printed.
func (p *text) Finish(r Result) error {
	p.cutOff("the reply was cut off")
	p.begin()
	p.footer(r)
	p.flush()
	return p.err
}

// ready shows the system text and the tools with their schemas.
func (p *text) ready(r agent.Request) {
	if !p.opt.Verbose {
		return
	}
	if r.Instructions != "" {
		p.step("system")
		p.body(r.Instructions)
	}
	for _, t := range r.Tools {
		p.step("tool " + t.Name)
		p.body(t.Description + "\n" + printable.JSONText(t.Schema))
	}
}

// request shows the context messages of a request if they changed.
func (p *text) request(e agent.RequestEvent) {
	var texts []string
	for _, m := range e.Tail {
		texts = append(texts, m.Text)
	}
	context := strings.Join(texts, "\n\n")
	if !p.opt.Verbose || context == "" || context == p.context {
		return
	}
	p.context = context
	title := fmt.Sprintf("context · at the end of request %d", e.Turn)
	if e.Closing {
		title += ", without tools"
	}
	p.step(title)
	p.body(context)
}

func (p *text) step(title string) {
	p.endText()
	p.print(p.paint(terminal.Strong, printable.Line(title)) + "\n")
}

// numbered starts a step of a message.
func (p *text) numbered(number int, name, rest string) {
	p.endText()
	if p.opt.Resized != nil {
		p.opt.Width = cmp.Or(p.opt.Resized(), p.opt.Width)
	}
	line := p.paint(terminal.Faint, fmt.Sprint(number)) + " " + p.paint(terminal.Strong+terminal.Blue, printable.Line(name))
	if rest = printable.Line(rest); rest != "" {
		line += " " + rest
	}
	c := p.column()
	c.Indent, c.Hang = "", 4
	p.print(c.Fold(line, true) + "\n")
}

func (p *text) body(text string) {
	p.lines(strings.Split(strings.TrimRight(printable.Text(text), "\n"), "\n"))
}

func (p *text) lines(lines []string) {
	for _, line := range lines {
		p.print(p.column().Fold(line, true) + "\n")
	}
}

// column returns a column for text below a step.
// bodyIndent starts the text of a step. No other line starts with it, so that text
// cannot imitate one.
const bodyIndent = "  "

func (p *text) column() terminal.Column {
	c := terminal.Column{Indent: bodyIndent}
	if p.opt.Terminal {
		c.Width = p.opt.Width
	}
	return c
}

// shown returns the form of a text for people, if it has one.
func (p *text) shown(text, shown string) string {
	if p.opt.Verbose || shown == "" {
		return text
	}
	return shown
}

// excerpt returns the lines of a text, or only the first and last if it is brief.
func (p *text) excerpt(body string) []string {
	const head, tail, most = 6, 3, 1000
	lines := strings.Split(strings.TrimRight(printable.Text(body), "\n"), "\n")
	if !p.brief {
		return lines
	}
	for i, line := range lines {
		lines[i] = printable.TruncateMiddle(line, most)
	}
	if n := len(lines) - head - tail; n > 1 {
		lines = slices.Replace(lines, head, head+n, p.paint(terminal.Faint, fmt.Sprintf("… %d lines hidden (-v shows them) …", n)))
	}
	return lines
}

// printFaint prints a faint line in parentheses between the steps.
func (p *text) printFaint(text string) {
	p.endText()
	p.print(p.paint(terminal.Faint, p.column().Fold("("+printable.Line(text)+")", true)) + "\n")
}

// note writes a warning or a similar message to Notes.
func (p *text) note(kind, message string) {
	p.notice(p.paint(terminal.Strong+terminal.Yellow, kind+":") + " " + printable.Line(message))
}

// notice writes a line to Notes.
func (p *text) notice(line string) {
	p.endText()
	if p.opt.Notes != nil {
		p.flush() // both may go to the same terminal
		fmt.Fprintln(p.opt.Notes, line)
	}
}

// paint styles text if the output has colour.
func (p *text) paint(st terminal.Style, s string) string {
	if !p.opt.Colour {
		return s
	}
	return st.Render(s)
}

func (p *text) print(s string) { p.out.WriteString(s) }

func (p *text) flush() {
	if p.err == nil && p.out.Len() > 0 {
		_, p.err = p.w.Write(p.out.Bytes())
	}
	p.out.Reset()
}
