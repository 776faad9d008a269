package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/printable"
)

// texts shows events as text and returns what is printed, without a result's
// end.
func texts(t *testing.T, opt TextOptions, es ...agent.Event) string {
	t.Helper()
	var out, notes bytes.Buffer
	opt.Width, opt.Notes = 30, &notes
	showTo(t, Text(&out, opt), es, Result{})
	return out.String() + "== notes\n" + notes.String()
}

// TestVoidedText is a stream that is cut off and retried: the text shown so far
// is marked as cut off, and the reply is shown again under the same number.
func TestVoidedText(t *testing.T) {
	reply := agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: "first half second"}
	retry := agent.RetryEvent{Attempt: 1, DelayMS: 500, Error: "cut off", Void: true}
	want := "── message 1 · assistant ─────\nfirst ha\n(the reply was cut off; retrying)\n\n" +
		"── message 1 · assistant · again \nfirst half second\n" +
		"\n── message 2 · tool ──────────\nresult of t c ok\n  x\n" +
		"== notes\nretry: attempt 1 failed: cut off; retrying in 0.5 s\n"
	after := agent.ToolResultEvent{Name: "t", ID: "c", OK: true, Output: "x"}
	for name, es := range map[string][]agent.Event{
		"streamed again": {agent.MessageDelta{Text: "first "}, agent.MessageDelta{Text: "ha"}, retry, agent.MessageDelta{Text: "first half "}, agent.MessageDelta{Text: "second"}, reply, after},
		"then whole":     {agent.MessageDelta{Text: "first ha"}, retry, reply, after},
	} {
		if got := texts(t, TextOptions{}, es...); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	// No text was visible yet, so nothing is marked.
	got := texts(t, TextOptions{}, agent.MessageDelta{Text: " \n"}, retry, reply)
	if strings.Contains(got, "was cut off") || !strings.HasPrefix(got, "── message 1 · assistant ─────\nfirst half second\n==") {
		t.Errorf("got\n%s", got)
	}
	// Held back marks are shown before the line is closed.
	got = texts(t, TextOptions{Colour: true}, agent.MessageDelta{Text: "say **bo"}, retry, reply)
	if !strings.Contains(seenText(got), "say **bo\n(the reply was cut off; retrying)\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestArguments(t *testing.T) {
	call := func(arguments string) agent.Event {
		return agent.ToolCallEvent{ID: "c", Name: "t", Arguments: json.RawMessage(arguments), Turn: 1}
	}
	lines, err := json.Marshal(strings.Repeat("line\n", 20))
	if err != nil {
		t.Fatal(err)
	}
	const head = "── message 1 · assistant ─────\ncall t c\n"
	long := strings.Join(printable.Wrap(strings.Repeat("é", 666)+" …(1001 characters omitted)… "+strings.Repeat("é", 333), 23), "\n      ")
	for _, tt := range []struct {
		name, arguments, want string
		opt                   TextOptions
	}{
		{"aligned", `{"a":"x","longer":[1, 2],"技能":null,"":true}`, "  a      = x\n  longer = [1, 2]\n  技能   = null\n  \"\"     = true\n", TextOptions{}},
		{"a name that is too long", `{"abcdefghijklmnopqrstuvwxyz":1,"b":2}`, "  abcdefghijklmnopqrstuvwxyz = 1\n  b = 2\n", TextOptions{}},
		{"several lines", `{"a":"x\n  y\n\nz\n"}`, "  a = x\n        y\n\n      z\n", TextOptions{}},
		{"no object", `"x\ny"`, "  \"x\\ny\"\n", TextOptions{}},
		{"none", `{}`, "", TextOptions{}},
		{"whole in a pipe", `{"a":` + string(lines) + `}`, "  a = line\n" + strings.Repeat("      line\n", 19), TextOptions{}},
		{"whole with -v", `{"a":` + string(lines) + `}`, "  a = line\n" + strings.Repeat("      line\n", 19), TextOptions{Terminal: true, Verbose: true}},
		{"cut at a terminal", `{"a":` + string(lines) + `}`, "  a = line\n" + strings.Repeat("      line\n", 7) + "      … 8 lines hidden (-v shows them) …\n" + strings.Repeat("      line\n", 4), TextOptions{Terminal: true}},
		{"a long line", `{"a":"` + strings.Repeat("é", 2000) + `"}`, "  a = " + long + "\n", TextOptions{Terminal: true}},
	} {
		got := texts(t, tt.opt, call(tt.arguments))
		if want := head + tt.want + "== notes\n"; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

// TestResults shows long output whole where a program may read it, and its ends
// where a person does.
func TestResults(t *testing.T) {
	output := ""
	for i := range 30 {
		output += fmt.Sprintf("%d\n", i)
	}
	result := agent.ToolResultEvent{Name: "t", ID: "c", OK: true, Output: output, DurationMS: 61_500}
	if got := texts(t, TextOptions{}, result); strings.Count(got, "\n") != 33 || strings.Contains(got, "min") {
		t.Errorf("in a pipe: got\n%s", got)
	}
	got := texts(t, TextOptions{Terminal: true}, result)
	for _, want := range []string{"result of t c ok (1 min 1 s)\n  0\n", "\n  11\n  … 12 lines hidden (-v shows them) …\n  24\n", "\n  29\n=="} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	// One line less is no reason to hide it.
	result.Output = strings.Repeat("x\n", textHead+textTail+1)
	if got := texts(t, TextOptions{Terminal: true}, result); strings.Contains(got, "lines hidden") {
		t.Errorf("got\n%s", got)
	}
	for ms, want := range map[int64]string{0: "0 ms", 999: "999 ms", 1000: "1.0 s", 59_949: "59.9 s", 60_000: "1 min 0 s"} {
		if got := duration(ms); got != want {
			t.Errorf("%d: got %s, want %s", ms, got, want)
		}
	}
}

// Context messages at the end of requests are shown with -v if they changed.
func TestVerboseTails(t *testing.T) {
	tail := func(turn int, text string) agent.Event {
		return agent.RequestEvent{Turn: turn, Ephemeral: []agent.Message{{Role: agent.User, Source: agent.FromContext, Text: text}}}
	}
	es := []agent.Event{tail(1, "none yet"), tail(2, "none yet"), tail(3, "one"), agent.RequestEvent{Turn: 4}}
	want := "── context · at the end of request 1 \nnone yet\n\n── context · at the end of request 3 \none\n== notes\n"
	if got := texts(t, TextOptions{Verbose: true}, es...); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := texts(t, TextOptions{Terminal: true}, es...); got != "== notes\n" {
		t.Errorf("without -v: got\n%s", got)
	}
}

// compaction is an event that the text format has no words of its own for.
type compaction struct {
	Turn int    `json:"turn"`
	Note string `json:"note"`
}

func (compaction) EventType() string { return "compaction" }

// Events that the format does not know get a line with their type and fields,
// as they have one in JSON Lines.
func TestUnknownEvent(t *testing.T) {
	want := "── message 1 · assistant ─────\nlet me see\n(compaction: {\"turn\":3,\"note\":\"<a>\\n\\u001b<U+202E>\"})\n== notes\n"
	message := agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: "let me see"}
	if got := texts(t, TextOptions{}, message, compaction{3, "<a>\n\x1b\u202e"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// The first event says nothing that a reader of the text needs.
	if got := texts(t, TextOptions{}, Started{Model: "m"}); got != "== notes\n" {
		t.Errorf("got\n%s", got)
	}
}

// At a terminal neither an argument nor a result wraps to the first column.
func TestNoWrap(t *testing.T) {
	forged := strings.Repeat(" ", 40) + "The model wants to run a script:"
	raw, err := json.Marshal(map[string]string{"arguments": forged})
	if err != nil {
		t.Fatal(err)
	}
	got := texts(t, TextOptions{Terminal: true, Width: 40}, agent.ToolCallEvent{ID: "c", Name: "t", Arguments: raw, Turn: 1},
		agent.ToolResultEvent{ID: "c", Name: "t", OK: true, Output: forged})
	for line := range strings.Lines(got) {
		if printable.Width(strings.TrimRight(line, "\n")) > 39 && !strings.HasPrefix(line, ruleMark) && !strings.HasPrefix(line, "result of") {
			t.Errorf("it wraps: %q", line)
		}
		if strings.HasPrefix(line, "The model") {
			t.Errorf("it reaches the first column: %q", line)
		}
	}
}
