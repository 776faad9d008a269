package transcript

// Formats for programs: JSON Lines, one JSON object, or only the answer. Fields are added
// to them, not changed.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
	"skills/internal/todo"
)

// JSONL writes one event per line: {"type":…,"seq":N,…}, with seq counting from 1.
// Verbose adds what the model sees in addition to the conversation: a context event
// with the system text, the tools and the messages of earlier runs, another one when
// text or tools change, a request event before each turn, and what a compaction has
// replaced, so that every request can be reconstructed.
func JSONL(w io.Writer, verbose bool) Printer {
	return &jsonl{w: printable.EscapeJSON(w), verbose: verbose}
}

type jsonl struct {
	w       io.Writer
	verbose bool
	seq     int
}

func (p *jsonl) Event(e agent.Event) error {
	switch event := e.(type) {
	case agent.ActionEvent, agent.ProgressEvent, agent.CallProgressEvent, agent.HeldEvent:
		return nil // the result has the action; the others are for a status line
	case agent.HookEvent:
		e = shownHook(event, p.verbose)
	case agent.ReadyEvent:
		return p.context(event.Request)
	case agent.ContextEvent:
		return p.context(event.Request)
	case agent.RequestEvent:
		if !p.verbose {
			return nil
		}
		e = requestEvent{event, Messages(event.Tail)}
	case agent.RefusedEvent:
		if !p.verbose {
			return nil
		}
	case agent.ToolCallEvent:
		if p.verbose {
			e = verboseToolCall{event, sentForm(event.Call, event.Name, event.Arguments)}
		}
	case agent.CompactionEvent:
		if !p.verbose {
			event.Replaced, event.Removed = nil, nil
			e = event
		}
	}
	return p.write(e)
}

func (p *jsonl) Finish(r Result) error { return p.write(r) }

// write writes type and seq before the event's own fields.
func (p *jsonl) write(e agent.Event) error {
	p.seq++
	fields, err := printable.JSON(e)
	if err != nil {
		return fmt.Errorf("writing event %s: %w", e.EventType(), err)
	}
	comma := ","
	if string(fields) == "{}" {
		comma = ""
	}
	_, err = fmt.Fprintf(p.w, "{\"type\":%q,\"seq\":%d%s%s\n", e.EventType(), p.seq, comma, fields[1:])
	return err
}

// resultPrinter prints only the result.
type resultPrinter func(Result) error

func (resultPrinter) Event(agent.Event) error { return nil }
func (f resultPrinter) Finish(r Result) error { return f(r) }

// JSON writes one object at the end: the fields of run.result and the messages, those of tools
// with the fields of their tool.result.
func JSON(w io.Writer) Printer { return &object{w: w, results: map[string][]agent.ToolResultEvent{}} }

type object struct {
	w       io.Writer
	results map[string][]agent.ToolResultEvent // by id, which some models use again
}

func (p *object) Event(e agent.Event) error {
	if result, ok := e.(agent.ToolResultEvent); ok {
		p.results[result.ID] = append(p.results[result.ID], result)
	}
	return nil
}

// typedMessage is a message with what the text of a result does not say to a program.
type typedMessage struct {
	Message
	Result *typedResult `json:"result,omitempty"`
}

// typedResult has the fields of a tool.result that its message has not.
type typedResult struct {
	OK         bool  `json:"ok"`
	Truncated  bool  `json:"truncated"`
	DurationMS int64 `json:"duration_ms"`
	*agent.Process
	*agent.Change
	Action agent.Summary `json:"action,omitzero"`
}

func (p *object) Finish(r Result) error {
	all := make([]typedMessage, 0, len(r.Messages))
	for _, m := range Messages(r.Messages) {
		typed := typedMessage{Message: m}
		if of := p.results[m.CallID]; m.Source == agent.FromTool && len(of) > 0 {
			e := of[0]
			p.results[m.CallID] = of[1:]
			typed.Result = &typedResult{OK: e.OK, Truncated: e.Truncated, DurationMS: e.DurationMS, Process: e.Process, Change: e.Change, Action: e.Action}
		}
		all = append(all, typed)
	}
	return printable.WriteJSON(p.w, struct {
		Result
		Messages []typedMessage `json:"messages"`
	}{r, all})
}

// Quiet writes only the final answer, or that of a run that reached a limit, with
// visible control characters. It writes an answer even if something failed after it.
// For a terminal it is formatted as in the text format.
func Quiet(w io.Writer, opt TextOptions) Printer {
	return resultPrinter(func(r Result) error {
		ended := r.Status == agent.Completed || r.Status == agent.LimitHit
		if r.Text == "" || !r.Answered && !ended {
			return nil // the text is not an answer
		}
		if opt.Terminal {
			f := terminal.NewFlow(terminal.Column{Width: cmp.Or(opt.Width, 80)}, true, opt.Colour)
			_, err := io.WriteString(w, f.Write(r.Text)+f.End())
			return err
		}
		lines := strings.Split(r.Text, "\r\n") // a program may rely on them
		for i, line := range lines {
			lines[i] = printable.Text(line)
		}
		_, err := io.WriteString(w, strings.Join(lines, "\r\n")+"\n")
		return err
	})
}

// shownHook returns an event of a hook as people may see it: what was removed only in
// verbose output, and never if it is private.
func shownHook(e agent.HookEvent, verbose bool) agent.HookEvent {
	if e.Private || !verbose {
		e.Before = ""
	}
	if e.Private {
		e.After = ""
	}
	return e
}

// contextEvent holds the start of every request of a run.
type contextEvent struct {
	System  string              `json:"system"`
	History []Message           `json:"history"` // messages of earlier runs, before those of this run
	Tools   []agent.RequestTool `json:"tools"`
}

// EventType returns "context".
func (contextEvent) EventType() string { return "context" }

func (p *jsonl) context(r agent.Request) error {
	if !p.verbose {
		return nil
	}
	history := slices.DeleteFunc(slices.Clone(r.Messages), func(m agent.Message) bool { return m.Source != agent.FromHistory })
	return p.write(contextEvent{r.Instructions, messages(history, true), r.Tools})
}

// requestEvent is the end of one request.
type requestEvent struct {
	agent.RequestEvent
	Tail []Message `json:"tail"` // in place of the messages of the event
}

// verboseToolCall is the tool.call event of a verbose run.
type verboseToolCall struct {
	agent.ToolCallEvent
	Sent
}

// Sent is the form of a call in requests if that differs from the event: for a name
// with invalid characters, or arguments that are not an object or have white space.
type Sent struct {
	SentName      string `json:"sent_name,omitempty"`
	SentArguments string `json:"sent_arguments,omitempty"`
}

// sentForm returns the form of a call in requests, where it differs from name and
// arguments.
func sentForm(call agent.ToolCall, name string, arguments json.RawMessage) (s Sent) {
	if call.ID == "" {
		return s // not part of a run
	}
	s.SentName, s.SentArguments = call.Sent()
	if s.SentName == name {
		s.SentName = ""
	}
	var compact bytes.Buffer
	if json.Compact(&compact, arguments) == nil && compact.String() == s.SentArguments {
		s.SentArguments = ""
	}
	return s
}

const maxEvent = 64 << 20 // bytes of one event

// ReadFile reads what [JSONL] wrote into a file. It calls each for every tool call, result
// of a tool, todo list and token usage, in order, and returns the result of the run. Without one the
// run was not finished, which is an error, as is a line that is not an event.
func ReadFile(path string, each func(agent.Event)) (result Result, err error) {
	file, err := os.Open(path)
	if err != nil {
		return result, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		var head struct {
			Type string `json:"type"`
		}
		err := json.Unmarshal(lines.Bytes(), &head)
		switch head.Type {
		case "tool.call":
			err = pass[agent.ToolCallEvent](lines.Bytes(), each)
		case "tool.result":
			err = pass[agent.ToolResultEvent](lines.Bytes(), each)
		case "todo":
			err = pass[todo.Event](lines.Bytes(), each)
		case "usage":
			err = pass[agent.UsageEvent](lines.Bytes(), each)
		case result.EventType():
			return result, json.Unmarshal(lines.Bytes(), &result)
		}
		if err != nil {
			return result, fmt.Errorf("%s: %w", path, err)
		}
	}
	return result, fmt.Errorf("%s: %w", path, cmp.Or(lines.Err(), errors.New("the run was not finished")))
}

func pass[E agent.Event](line []byte, each func(agent.Event)) error {
	var e E
	err := json.Unmarshal(line, &e)
	each(e)
	return err
}
