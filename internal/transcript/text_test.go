package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/todo"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// seenText is what a terminal shows without its styles.
func seenText(styled string) string { return escapes.ReplaceAllString(styled, "") }

// texts shows events as text and returns what is printed.
func texts(t *testing.T, opt TextOptions, es ...agent.Event) string {
	t.Helper()
	var out, notes bytes.Buffer
	opt.Notes = &notes
	showTo(t, Text(&out, opt), es, Result{})
	return out.String() + "== notes\n" + notes.String()
}

func modelText(text string) agent.Event {
	return agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: text}
}

func toolCall(id, name, arguments string, turn int) agent.Event {
	return agent.ToolCallEvent{ID: id, Name: name, Arguments: json.RawMessage(arguments), Turn: turn}
}

// TestVoidedText is a stream that is cut off and retried: the text shown so far
// is marked as cut off, and the reply is shown again under the same number.
func TestVoidedText(t *testing.T) {
	reply := modelText("first half second")
	retry := agent.RetryEvent{Attempt: 1, DelayMS: 500, Error: "cut off", Void: true}
	want := "assistant\n  first ha\n  (the reply was cut off; retrying)\nassistant\n  first half second\n" +
		"== notes\nretry 1: cut off; retrying in 0.5 s\n"
	for name, es := range map[string][]agent.Event{
		"streamed again": {agent.MessageDelta{Text: "first "}, agent.MessageDelta{Text: "ha"}, retry, agent.MessageDelta{Text: "first half "}, agent.MessageDelta{Text: "second"}, reply},
		"then whole":     {agent.MessageDelta{Text: "first ha"}, retry, reply},
	} {
		if got := texts(t, TextOptions{}, es...); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	// No text was visible yet, so nothing is marked.
	got := texts(t, TextOptions{}, agent.MessageDelta{Text: " \n"}, retry, reply)
	if strings.Contains(got, "was cut off") || !strings.HasPrefix(got, "assistant\n  first half second\n==") {
		t.Errorf("got\n%s", got)
	}
	// Held back marks are shown before the line is closed.
	got = texts(t, TextOptions{Colour: true}, agent.MessageDelta{Text: "say **bo"}, retry, reply)
	if !strings.Contains(seenText(got), "  say **bo\n  (the reply was cut off; retrying)\n") {
		t.Errorf("got\n%s", got)
	}
}

// prepared are the events of a call of which it is known what it does.
func prepared(id, name, arguments, line string) []agent.Event {
	return []agent.Event{toolCall(id, name, arguments, 1), agent.ActionEvent{ID: id, Action: agent.Summary{Line: line}}}
}

// TestCallSummary checks that the line of a call shows the important part of its action.
func TestCallSummary(t *testing.T) {
	for _, tt := range []struct {
		name, arguments, line, want string
		opt                         TextOptions
	}{
		{"load_skill", `{}`, "a\nuser", "load_skill a␊user", TextOptions{}},
		{"run_skill_script", `{"args":["x"]}`, "a/b --words x", "run_skill_script a/b --words x", TextOptions{}},
		{"todos_add", `{"todos":[{"title":"x"}]}`, "", "todos_add", TextOptions{}},
		{"other", `{"a":"x"}`, "a=x", "1 other a=x\n  c1 {\"a\":\"x\"}", TextOptions{Verbose: true}},
		{"other", `{}`, "a=one two three four", "other a=one two\n    three four", TextOptions{Terminal: true, Width: 20}},
	} {
		if got, want := texts(t, tt.opt, prepared("c1", tt.name, tt.arguments, tt.line)...), tt.want+"\n== notes\n"; got != want {
			t.Errorf("%s %s: got\n%s\nwant\n%s", tt.name, tt.line, got, want)
		}
	}
}

// TestNeverPrepared checks that a call is printed even if it never was prepared: with
// its arguments, once, above its result or at the end of the run.
func TestNeverPrepared(t *testing.T) {
	for _, tt := range []struct{ arguments, want string }{
		{`{"z":[1, 2],"a":"x y"}`, "other a=x y z=[1, 2]\n"},
		{`"no object"`, "other \"no object\"\n"},
		{"", "other\n"},
	} {
		skipped := agent.ToolResultEvent{ID: "c1", Name: "other", Output: "Skipped: the run ended."}
		denied := agent.ToolApproval{ID: "c1", Decision: "denied", By: "nobody"}
		for name, test := range map[string]struct {
			events []agent.Event
			want   string
		}{
			"without a result": {nil, ""},
			"skipped":          {[]agent.Event{skipped}, "  Skipped: the run ended." + strings.Repeat(" ", 48) + "failed\n"},
			"denied":           {[]agent.Event{denied, skipped}, "  cancelled\n"},
		} {
			got := texts(t, TextOptions{}, append([]agent.Event{toolCall("c1", "other", tt.arguments, 1)}, test.events...)...)
			if want := tt.want + test.want; !strings.HasPrefix(got, want) || strings.Count(got, "other") != 1 {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", name, tt.arguments, got, want)
			}
		}
	}
	// The second of two was prepared, and the first was not.
	es := append([]agent.Event{toolCall("c1", "a", `{"x":1}`, 1)}, prepared("c2", "b", `{}`, "line")...)
	es = append(es, agent.ToolResultEvent{ID: "c1", Name: "a", OK: true, Output: "one"}, agent.ToolResultEvent{ID: "c2", Name: "b", OK: true, Output: "two"})
	if got, want := texts(t, TextOptions{}, es...), "a x=1\n  one\nb line\n  two\n== notes\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestResultsBelowCalls checks that each result is printed below its call, for any order
// of events.
func TestResultsBelowCalls(t *testing.T) {
	result := func(id string) agent.Event {
		return agent.ToolResultEvent{ID: id, Name: "t", OK: true, Output: "of " + id}
	}
	want := "assistant\n  x\nt a=1\n  approved: --yes\n  of c1\nt a=2\n  denied by user: no\nassistant\n  y\n== notes\n"
	for name, es := range map[string][]agent.Event{
		"one by one": {modelText("x"), toolCall("c1", "t", `{"a":1}`, 1), toolCall("c2", "t", `{"a":2}`, 1),
			agent.ToolApproval{ID: "c1", Decision: "approved", By: "flag", Reason: "--yes"}, result("c1"),
			agent.ToolApproval{ID: "c2", Decision: "denied", By: "user", Reason: "no"}, result("c2"), modelText("y")},
		"concurrently": {modelText("x"), toolCall("c1", "t", `{"a":1}`, 1), toolCall("c2", "t", `{"a":2}`, 1),
			agent.ToolApproval{ID: "c2", Decision: "denied", By: "user", Reason: "no"},
			agent.ToolApproval{ID: "c1", Decision: "approved", By: "flag", Reason: "--yes"}, result("c1"), result("c2"), modelText("y")},
	} {
		if got := texts(t, TextOptions{}, es...); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestShown checks that people see the form of a text that is for them, and with -v the
// one that the model gets.
func TestShown(t *testing.T) {
	for _, test := range []struct {
		shown, want string
		opt         TextOptions
	}{
		{"brief", "brief", TextOptions{}}, {"brief", "whole", TextOptions{Verbose: true}}, {"", "whole", TextOptions{}},
	} {
		result := agent.ToolResultEvent{Name: "t", ID: "c", OK: true, Output: "whole", Shown: test.shown}
		if got := texts(t, test.opt, toolCall("c", "t", "{}", 1), result); !strings.Contains(got, "\n  "+test.want+"\n") {
			t.Errorf("%+v: got\n%s", test, got)
		}
		message := agent.MessageEvent{Role: agent.User, Source: agent.FromContext, Provider: "skills", Text: "whole", Shown: test.shown}
		if got := texts(t, test.opt, message); !strings.Contains(got, "\n  "+test.want+"\n") {
			t.Errorf("%+v: got\n%s", test, got)
		}
	}
}

// TestResults shows complete long output to programs, and its start and end to users.
func TestResults(t *testing.T) {
	output := ""
	for i := range 30 {
		output += fmt.Sprintf("%d\n", i)
	}
	one := toolCall("c", "t", "", 1)
	result := agent.ToolResultEvent{Name: "t", ID: "c", OK: true, Output: output, DurationMS: 61_500, Summary: "30 numbers"}
	if got := texts(t, TextOptions{}, one, result); strings.Count(got, "\n") != 32 || strings.Contains(got, "min") {
		t.Errorf("in a pipe: got\n%s", got)
	}
	if got, want := texts(t, TextOptions{Terminal: true}, one, result), "t\n  30 numbers\n== notes\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	result.Summary, result.OK, result.Truncated, result.Process = "", false, true, &agent.Process{ExitCode: 3, Sandbox: "landlock"}
	got := texts(t, TextOptions{Terminal: true, Width: 60}, one, result)
	want := "t\n  0\n  1\n  2\n  3\n  4\n  5\n  … 21 lines hidden (-v shows them) …\n  27\n  28\n  29" + strings.Repeat(" ", 25) + "exit 3 · truncated · 1 min 1 s\n== notes\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	result.Output, result.TimedOut = "out", true
	if got, want := texts(t, TextOptions{Verbose: true}, one, result), "1 t\n  c \n  out"+strings.Repeat(" ", 34)+"timed out · truncated · sandbox landlock\n== notes\n"; got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	for ms, want := range map[int64]string{0: "0 ms", 999: "999 ms", 1000: "1.0 s", 59_949: "59.9 s", 60_000: "1 min 0 s"} {
		if got := duration(ms); got != want {
			t.Errorf("%d: got %s, want %s", ms, got, want)
		}
	}
}

// TestHeaderAndFooter checks that the lines before the first step and after the last go
// to standard error, because they are for users.
func TestHeaderAndFooter(t *testing.T) {
	var out, notes bytes.Buffer
	p := Text(&out, TextOptions{Notes: &notes, Timed: true, Continue: "skills run --session s"})
	usage := agent.UsageEvent{Turn: 1, Usage: agent.Usage{InputTokens: 1200, OutputTokens: 34}}
	showTo(t, p, []agent.Event{Started{Identity: Identity{Model: "m"}, BaseURL: "http://x", Skills: []string{"a"}, Sandbox: "landlock"}, agent.NoteEvent{Message: "a recording"}, agent.ReadyEvent{}, usage}, Result{Turns: 1, ToolCalls: 2, DurationMS: 1500})
	want := "m · http://x · 1 skill · sandbox landlock\n1 turn · 2 tool calls · 1,234 tokens · 1.5 s · continue: skills run --session s\n"
	if notes.String() != want || out.String() != "  (a recording)\n" {
		t.Errorf("got\n%s%s\nwant\n%s", out.String(), notes.String(), want)
	}
	// A run that failed before its first request has neither.
	notes.Reset()
	if showTo(t, Text(&out, TextOptions{Notes: &notes}), []agent.Event{Started{}}, Result{}); notes.Len() > 0 {
		t.Errorf("got %s", notes.String())
	}
}

// TestVerboseContext checks that -v shows context messages at the end of requests if
// they changed.
func TestVerboseContext(t *testing.T) {
	request := func(turn int, text string) agent.Event {
		return agent.RequestEvent{Turn: turn, Tail: []agent.Message{{Role: agent.User, Source: agent.FromContext, Text: text}}}
	}
	es := []agent.Event{request(1, "none yet"), request(2, "none yet"), request(3, "one"), agent.RequestEvent{Turn: 4}}
	want := "context · at the end of request 1\n  none yet\ncontext · at the end of request 3\n  one\n== notes\n"
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

// TestUnknownEvent checks that an event that the format does not know gets a line with
// its type and fields, as in JSON Lines.
func TestUnknownEvent(t *testing.T) {
	want := "assistant\n  let me see\n  (compaction: {\"turn\":3,\"note\":\"<a>\\n\\u001b<U+202E>\"})\n== notes\n"
	if got := texts(t, TextOptions{}, modelText("let me see"), compaction{3, "<a>\n\x1b\u202e"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestChecklist checks that the todo list is shown once for each change: all of it the
// first time, then what changed.
func TestChecklist(t *testing.T) {
	one, two, three := todo.Item{ID: 1, Title: "one"}, todo.Item{ID: 2, Title: "two\nlines"}, todo.Item{ID: 3, Title: "three"}
	done := func(i todo.Item) todo.Item { i.IsComplete, i.Reason = true, "so"; return i }
	for _, tt := range []struct {
		name  string
		lists [][]todo.Item
		want  string
	}{
		{"only what changed", [][]todo.Item{{one, two}, {done(one), two}, {done(one), done(two)}},
			"  [ ] 1 one\n  [ ] 2 two␊lines\n  0 of 2 done\n" + "  [x] 1 one — so\n  1 of 2 done\n" + "  [x] 2 two␊lines — so\n  2 of 2 done\n"},
		{"added and removed", [][]todo.Item{{one, two}, {two, three}},
			"  [ ] 1 one\n  [ ] 2 two␊lines\n  0 of 2 done\n" + "  [ ] 3 three\n  [-] 1 one — removed\n  0 of 2 done\n"},
		{"emptied", [][]todo.Item{{one}, {}}, "  [ ] 1 one\n  0 of 1 done\n" + "  [-] 1 one — removed\n  the list is empty\n"},
	} {
		var es []agent.Event
		for i, items := range tt.lists {
			id := fmt.Sprint(i)
			es = append(es, toolCall(id, "todos_add", "", i+1), todo.Event{Items: items}, agent.ToolResultEvent{ID: id, Name: "todos_add", OK: true, Output: "JSON"})
		}
		got := ""
		for line := range strings.Lines(texts(t, TextOptions{}, es...)) {
			if strings.HasPrefix(line, " ") {
				got += line
			}
		}
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestColumns checks that at a terminal no line is too long, words are not broken, list
// items hang, and text of the model does not reach the first column; in a pipe lines
// stay unchanged.
func TestColumns(t *testing.T) {
	const text = "A paragraph with some words in it.\n\n- an item that is longer than a line\n  1. nested items hang as well as they can\n\n" +
		"中文没有空格也要换行但不能超出终端的宽度\n\n    code is indented further and wraps too\n" + "x" + strings100 +
		"\n\n```\n" + strings100 + "\n```\n**" + strings100 + "** and `" + strings100 + "`"
	for _, opt := range []TextOptions{{Terminal: true, Width: 24}, {Terminal: true, Width: 24, Colour: true}} {
		got := seenText(texts(t, opt, modelText(text), toolCall("c", "t", `{"a":"`+strings.Repeat(" ", 40)+`The model wants to run a script:"}`, 1)))
		for line := range strings.Lines(got) {
			if w := printable.Width(strings.TrimRight(line, "\n")); w > 23 {
				t.Errorf("%d columns: %q", w, line)
			}
			if strings.HasPrefix(line, "The model") {
				t.Errorf("it reaches the first column: %q", line)
			}
		}
		for _, want := range []string{"  A paragraph with some\n  words in it.\n\n", "  - an item that is\n    longer than a line\n", "    1. nested items\n       hang as well as\n", "  中文没有空格也要换行\n  但不能超出终端的宽度\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
	}
	if got, want := texts(t, TextOptions{}, modelText(text)), "assistant\n  "+strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n  "), "\n  \n", "\n\n")+"\n== notes\n"; got != want {
		t.Errorf("in a pipe\n%s\nwant\n%s", got, want)
	}
}

// TestResized checks that a step is as wide as the terminal when it begins, and that an
// unanswered prompt is not a denial.
func TestResized(t *testing.T) {
	width := 40
	resized := func() int { width -= 10; return width }
	got := texts(t, TextOptions{Terminal: true, Resized: resized}, modelText("some words of a message"), toolCall("c", "t", "", 1),
		agent.ToolApproval{ID: "c", Decision: "denied", By: "nobody", Reason: "it was stopped"})
	want := "assistant\n  some words of a message\nt\n  cancelled: it was\n  stopped\n== notes\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOtherAlphabets checks that words of other alphabets stay whole, and that no line
// begins with a closing mark.
func TestOtherAlphabets(t *testing.T) {
	const text = "Это предложение из нескольких слов, naïveté.\n\n> 用来检查是否换行，以及（括号）。\n"
	want := "assistant\n  Это предложение из\n  нескольких слов,\n  naïveté.\n\n  > 用来检查是否换\n    行，以及（括\n    号）。\n== notes\n"
	if got := texts(t, TextOptions{Terminal: true, Width: 21}, modelText(text)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const strings100 = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

// TestLongCommand: the line of a command that is a whole program is short, and whole with -v.
func TestLongCommand(t *testing.T) {
	line := "python3 - <<'EOF'␊" + strings.Repeat("print('x')␊", 100) + "EOF"
	events := []agent.Event{
		toolCall("a", "run_command", `{}`, 1),
		agent.ActionEvent{ID: "a", Action: agent.Summary{Kind: agent.KindCommand, Name: line, Line: line}},
		agent.ToolResultEvent{ID: "a", Name: "run_command", OK: true, Output: "x"},
	}
	for _, opt := range []TextOptions{{}, {Terminal: true, Width: 80}} {
		rows := strings.Split(seenText(texts(t, opt, events...)), "\n")
		size := 0
		for _, row := range rows[:len(rows)-3] {
			size += len([]rune(row))
		}
		if len(rows) > 8 || size > 250 || !strings.Contains(rows[0], "run_command python3 -") {
			t.Errorf("got %d rows, %d characters: %q", len(rows), size, rows)
		}
		opt.Verbose = true
		got := strings.NewReplacer("\n", "", " ", "").Replace(seenText(texts(t, opt, events...)))
		if strings.Count(got, "print('x')") != 100 {
			t.Errorf("with -v: got\n%s", got)
		}
	}
}
