package transcript

// The text format shows a run to users step by step: messages, calls with what they do,
// results, decisions. What is longer than people read is an excerpt, unless all of it is
// wanted.

import (
	"fmt"
	"io"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/todo"
)

// TextOptions configures the text format.
type TextOptions struct {
	// Verbose adds the protocol: the numbers of messages in the conversation, the system text, the tools, call IDs, JSON arguments,
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

// Text prints a run for users: one step per line, followed by its indented text or result.
func Text(w io.Writer, opt TextOptions) Printer {
	if opt.Width == 0 {
		opt.Width = 80
	}
	return &text{
		page:    page{w: w, opt: opt, brief: opt.Terminal && !opt.Verbose},
		decided: map[string]string{},
		actions: map[string]agent.Summary{},
	}
}

type text struct {
	page
	number  int                      // of the last message
	turn    int                      // of the model's last message: -1 if unknown, 0 if none is open
	caller  int                      // the message with the current calls
	calls   []agent.ToolCallEvent    // without a result
	begun   bool                     // whether the line of the first call is printed
	actions map[string]agent.Summary // of the calls without a result
	decided map[string]string        // lines about calls that are printed later
	denied  []string                 // the denied calls
	list    checklist
	context string // the messages last shown for the end of a request
	started Started
	tokens  int64
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
	case agent.ProgressEvent, agent.CallProgressEvent, agent.HeldEvent: // for a status line
	case agent.MessageDelta:
		p.delta(e.Text)
	case agent.ReasoningEvent:
		p.reasoning(e)
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
		p.remark(e.Message)
	case agent.HookEvent:
		p.hook(e)
	case agent.PlanEvent:
		p.remark(e.Message())
	case agent.LoopEvent:
		p.loop(e)
	case agent.CompactionEvent:
		p.compaction(e)
	case agent.RetryEvent:
		p.cutOff("the reply was cut off; retrying")
		p.note(fmt.Sprintf("retry %d", e.Attempt), strings.TrimSuffix(e.Error, ".")+"; "+again(e))
	case agent.RefusedEvent:
		if p.opt.Verbose {
			p.printFaint(fmt.Sprintf("the refused request had %s bytes", printable.Grouped(int64(e.Bytes))))
			p.body("fields    " + strings.Join(e.Fields, ", ") + "\nmessages  " + strings.Join(e.Messages, "; ") + "\ntools     " + strings.Join(e.Tools, ", "))
		}
	case agent.LoadingEvent:
		p.notice(printable.Line(e.Message))
	case agent.WarningEvent:
		p.note("warning", e.Message)
	default: // a new kind of event is never lost
		p.printFaint(e.EventType() + ": " + printable.JSONText(e))
	}
}

// again says how a request is sent again.
func again(e agent.RetryEvent) string {
	if e.Change != "" {
		return "sending again " + e.Change
	}
	return fmt.Sprintf("retrying in %.1f s", float64(e.DelayMS)/1000)
}

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
