package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/filetest"
	"skills/internal/todo"
)

// events are one of every kind, with text that a terminal must not obey.
func events(stream bool) []agent.Event {
	out := []agent.Event{
		Started{Identity: Identity{Model: "m"}, BaseURL: "http://x", Skills: []string{"a"}, Tools: []string{}, Sandbox: "none"},
		agent.ReadyEvent{Request: agent.Request{
			Instructions: "the system text",
			Messages:     []agent.Message{{Role: agent.User, Source: agent.FromHistory, Text: "earlier"}, {Role: agent.User, Source: agent.FromUser, Text: "the prompt"}},
			Tools:        []agent.RequestTool{{Name: "run", Description: "runs", Schema: map[string]any{"type": "object"}}},
		}},
		agent.MessageEvent{Role: agent.User, Source: agent.FromUser, Text: "the \x1b[31mprompt"},
		agent.MessageEvent{Role: agent.User, Source: agent.FromContext, Text: "an activated skill"},
	}
	out = append(out, agent.RequestEvent{Turn: 1, Tail: []agent.Message{{Role: agent.User, Source: agent.FromContext, Provider: "todo", Text: "the list"}}})
	if stream {
		out = append(out, agent.MessageDelta{Text: "let me "}, agent.MessageDelta{Text: "see\x1b[2J"})
	}
	out = append(out,
		agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: "let me see\x1b[2J"},
		agent.ToolCallEvent{ID: "c1", Name: "run\x07", Arguments: json.RawMessage(`{"b":"two\nlines","a":1,"list":[1,2]}`), Turn: 1},
		agent.ToolCallEvent{ID: "c2", Name: "todos_add", Arguments: json.RawMessage(`"no object"`), Turn: 1},
		agent.UsageEvent{Turn: 1, Usage: agent.Usage{InputTokens: 7, OutputTokens: 8}},
		agent.ToolApproval{ID: "c1", Decision: "denied", By: "policy", Reason: "nobody\nthere"},
		agent.ToolResultEvent{ID: "c1", Name: "run", OK: false, Output: "<out>\r\nput\x1b]0;t\x07", Truncated: true, Process: &agent.Process{ExitCode: 3, TimedOut: true, Sandbox: "none"}},
		todo.Event{Items: []todo.Item{{ID: 1, Title: "first", IsComplete: true, Reason: "done"}, {ID: 2, Title: "second"}}},
		agent.ToolResultEvent{ID: "c2", Name: "todos_add", OK: true, Output: "[]"},
		agent.ToolCallEvent{ID: "c3", Name: "todos_remove", Arguments: json.RawMessage(`{}`), Turn: 2},
		agent.ToolApproval{ID: "c3", Decision: "approved", By: "user"},
		todo.Event{Items: []todo.Item{}},
		agent.RetryEvent{Attempt: 1, DelayMS: 1500, Status: 429, Error: "too many"},
		agent.WarningEvent{Message: "careful"},
	)
	if stream {
		out = append(out, agent.MessageDelta{Text: "the answer"})
	}
	return append(out, agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: "the answer"})
}

func result() Result {
	failure := "it \u202efailed"
	return Result{Status: agent.Failed, Text: "the answer\x1b[0m", Error: &failure, Turns: 2, ToolCalls: 3,
		SkillsLoaded: []string{}, Denials: []Denial{{ID: "c1", By: "policy", Reason: "nobody"}}, TodosOpen: []todo.Item{},
		Unprinted: Unprinted{Messages: []agent.Message{
			{Role: agent.User, Source: agent.FromUser, Text: "<the prompt>"},
			{Role: agent.Assistant, Source: agent.FromModel, Calls: []agent.ToolCall{{ID: "c1", Name: "run", Arguments: `{"a":1}`}, {ID: "c2", Name: "x", Arguments: "no json"}, {ID: "c3", Name: "y"}}},
			{Role: agent.ToolRole, Source: agent.FromTool, CallID: "c1", Name: "run", Text: "out"},
		}}}
}

func TestPrinters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stream bool
		make   func(out, notes *bytes.Buffer) Printer
	}{
		{"text", false, func(o, n *bytes.Buffer) Printer { return Text(o, TextOptions{Notes: n}) }},
		{"text-verbose", false, func(o, n *bytes.Buffer) Printer { return Text(o, TextOptions{Notes: n, Verbose: true, Width: 30}) }},
		{"text-colour", false, func(o, n *bytes.Buffer) Printer { return Text(o, TextOptions{Notes: n, Colour: true}) }},
		{"text-terminal", true, func(o, n *bytes.Buffer) Printer {
			return Text(o, TextOptions{Notes: n, Terminal: true, Timed: true, Colour: true, Width: 40})
		}},
		{"jsonl", false, func(o, _ *bytes.Buffer) Printer { return JSONL(o, false) }},
		{"jsonl-verbose", false, func(o, _ *bytes.Buffer) Printer { return JSONL(o, true) }},
		{"jsonl-stream", true, func(o, _ *bytes.Buffer) Printer { return JSONL(o, false) }},
		{"json", false, func(o, _ *bytes.Buffer) Printer { return JSON(o) }},
		{"quiet", false, func(o, _ *bytes.Buffer) Printer { return Quiet(o, TextOptions{}) }},
		{"quiet-failed", false, func(o, _ *bytes.Buffer) Printer { return Quiet(o, TextOptions{}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, notes bytes.Buffer
			r := result()
			if tt.name == "quiet" {
				r.Status = agent.Completed
			}
			showTo(t, tt.make(&out, &notes), events(tt.stream), r)
			got := out.String() + "== notes\n" + notes.String()
			filetest.Golden(t, tt.name, got)
			if !strings.Contains(tt.name, "colour") && tt.name != "text-terminal" && strings.ContainsAny(got, "\x1b\x07\r\u202e") {
				t.Error("something that a terminal obeys reaches the output")
			}
		})
	}
}

func show(t *testing.T, p Printer, es []agent.Event) {
	t.Helper()
	showTo(t, p, es, result())
}

func showTo(t *testing.T, p Printer, es []agent.Event, r Result) {
	t.Helper()
	for _, e := range es {
		if err := p.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Finish(r); err != nil {
		t.Fatal(err)
	}
}

// TestStreamedTextIsTheSame compares the streamed transcript with the other one:
// text that arrives in pieces ends up in the same place.
func TestStreamedTextIsTheSame(t *testing.T) {
	for _, opt := range []TextOptions{{}, {Colour: true}, {Verbose: true}, {Terminal: true, Colour: true}} {
		var whole, pieces bytes.Buffer
		show(t, Text(&whole, opt), events(false))
		show(t, Text(&pieces, opt), events(true))
		if seenText(whole.String()) != seenText(pieces.String()) {
			t.Errorf("%+v: streamed\n%s\nwhole\n%s", opt, pieces.String(), whole.String())
		}
	}
}

// TestBrokenOff is a stream that ends inside a message.
func TestBrokenOff(t *testing.T) {
	var out bytes.Buffer
	show(t, Text(&out, TextOptions{}), []agent.Event{agent.MessageDelta{Text: "half a sen"}})
	if !strings.HasSuffix(out.String(), "  half a sen\n  (the reply was cut off)\n") {
		t.Errorf("got %q, want the line ended, and why", out.String())
	}
}

// TestJSONLLines decodes every line: type, seq counting from 1, the result
// last.
func TestJSONLLines(t *testing.T) {
	var out bytes.Buffer
	show(t, JSONL(&out, false), events(true))
	n, last := 0, ""
	for line := range bytes.Lines(out.Bytes()) {
		var e struct {
			Type string
			Seq  int
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("line %d: %v\n%s", n+1, err, line)
		}
		n++
		if e.Seq != n {
			t.Errorf("line %d has seq %d", n, e.Seq)
		}
		last = e.Type
	}
	if last != "run.result" || n != len(events(true))-1 { // all but what only verbose ones have, and the result
		t.Errorf("%d lines, the last is %s", n, last)
	}
}

// bare is an event of a provider without fields.
type bare struct{}

func (bare) EventType() string { return "bare" }

// TestEventWithoutFields checks that such an event is a JSON object too.
func TestEventWithoutFields(t *testing.T) {
	var out bytes.Buffer
	if err := JSONL(&out, false).Event(bare{}); err != nil || out.String() != "{\"type\":\"bare\",\"seq\":1}\n" {
		t.Errorf("got %s, %v", out.String(), err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	for name, p := range map[string]Printer{
		"text": Text(failing{}, TextOptions{}), "jsonl": JSONL(failing{}, true), "json": JSON(failing{}), "quiet": Quiet(failing{}, TextOptions{}),
	} {
		err := p.Event(agent.MessageEvent{Role: agent.User, Source: agent.FromUser, Text: "x"})
		r := result()
		r.Status = agent.Completed
		err = errors.Join(err, p.Finish(r))
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: an error of the writer is lost: %v", name, err)
		}
	}
}

// TestForgedStep is a model, and a script, that write what looks like a step.
func TestForgedStep(t *testing.T) {
	forged := "fine\nrun_skill_script x/y\n  approved: --allow-script\n\r\n\t10 user"
	for name, es := range map[string][]agent.Event{
		"whole":    {agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: forged}},
		"streamed": {agent.MessageDelta{Text: "fine\n"}, agent.MessageDelta{Text: "run_skill_script x/y\n"}, agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: forged}},
		"result":   {agent.ToolCallEvent{ID: "c", Name: "t", Turn: 1}, agent.ToolResultEvent{ID: "c", Name: "t", Output: forged}},
		"name":     {agent.ToolCallEvent{ID: "c", Name: "t\nuser\n", Turn: 1}},
	} {
		for _, opt := range []TextOptions{{}, {Terminal: true, Width: 20}} {
			var out bytes.Buffer
			show(t, Text(&out, opt), es)
			steps := 0
			for line := range strings.Lines(out.String()) {
				if !strings.HasPrefix(line, " ") && line != "\n" {
					steps++
				}
			}
			if steps != 1 {
				t.Errorf("%s: %d lines look like steps, want one\n%s", name, steps, out.String())
			}
		}
	}
}

// TestBlankStream is a streamed reply without anything to see, before the one
// that counts.
func TestBlankStream(t *testing.T) {
	var out bytes.Buffer
	show(t, Text(&out, TextOptions{}), []agent.Event{
		agent.MessageDelta{Text: "\n"},
		agent.MessageEvent{Role: agent.User, Source: agent.FromContext, Text: "go on"},
		agent.MessageDelta{Text: "the answer"},
		agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: "the answer"},
	})
	if want := "context\n  go on\nassistant\n  the answer\n"; out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// TestQuiet checks that -q prints the answer verbatim, even if something failed after it,
// and nothing that is not an answer.
func TestQuiet(t *testing.T) {
	for _, test := range []struct {
		name   string
		result Result
		want   string
	}{
		{"line ends", Result{Status: agent.Completed, Text: "\n a\r\nb\n── c\r\n"}, "\n a\r\nb\n── c\r\n\n"},
		{"control characters", Result{Status: agent.Completed, Text: "a\rb\r\r\n\x1b[1m\r"}, "a␍b␍\r\n␛[1m␍\n"},
		{"limit", Result{Status: agent.LimitHit, Text: "so far"}, "so far\n"},
		{"failed", Result{Status: agent.Failed, Text: "let me see"}, ""},
		{"failed after it", Result{Status: agent.Failed, Unprinted: Unprinted{Answered: true}, Text: "done"}, "done\n"},
		{"nothing", Result{Status: agent.Completed}, ""},
	} {
		var out bytes.Buffer
		if err := Quiet(&out, TextOptions{}).Finish(test.result); err != nil || out.String() != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.name, out.String(), err, test.want)
		}
	}
	var out bytes.Buffer
	err := Quiet(&out, TextOptions{Terminal: true, Width: 16}).Finish(Result{Status: agent.Completed, Text: "some words of an answer"})
	if want := "some words of\nan answer\n"; err != nil || out.String() != want {
		t.Errorf("at a terminal: got %q, %v, want %q", out.String(), err, want)
	}
}
