package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/script"
)

// programs answers for hooks by their first word, and keeps what they received.
type programs struct {
	results  map[string]script.Result
	received []event
	env      []string
	stop     context.CancelCauseFunc
}

func (p *programs) Ask(_ context.Context, command []string, input []byte, more ...string) (script.Result, error) {
	var e event
	if err := json.Unmarshal(input, &e); err != nil {
		return script.Result{}, err
	}
	p.received, p.env = append(p.received, e), append(p.env, more...)
	if p.stop != nil {
		p.stop(errors.New("enough"))
	}
	r, ok := p.results[command[0]]
	if !ok {
		return r, fmt.Errorf("starting %s: it is not on the PATH", command[0])
	}
	return r, nil
}

func says(text string) script.Result { return script.Result{Stdout: text} }

// bench runs one call through hooks; the tool notes its arguments.
type bench struct {
	programs
	options Options
	events  []agent.Event
	got     []string
	fails   error
	stopped error
}

func commands(names ...string) []Command {
	var out []Command
	for _, n := range names {
		out = append(out, Command{Text: n, Words: []string{n}})
	}
	return out
}

func (b *bench) call(ctx context.Context, arguments string) (agent.ToolResult, error) {
	b.options.Runner, b.options.Dir, b.options.RunID = b, "/work", "r1"
	b.options.Mask = func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("sk-1"), []byte("hidden")) }
	inv := &agent.Invocation{
		Tool: &agent.Tool{Name: "run"}, Call: agent.ToolCall{ID: "c1", Name: "run", Arguments: arguments}, Arguments: json.RawMessage(arguments),
		Turn: 2, Index: 1, Count: 3, Model: "m1", Streaming: true, Messages: []agent.Message{{Role: agent.User, Source: agent.FromUser, Text: "key sk-1"}}, Emit: func(e agent.Event) { b.events = append(b.events, e) },
	}
	result, err := New(b.options).Middleware()(func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
		b.got = append(b.got, string(inv.Arguments))
		return agent.ToolResult{Text: "tool's own", Process: &agent.Process{ExitCode: 0}}, b.fails
	})(ctx, inv)
	b.stopped = inv.Stopped
	return result, err
}

// TestBefore checks the answers that one or several hooks can give before a call.
func TestBefore(t *testing.T) {
	results := map[string]script.Result{
		"silent": {}, "blank": says(" \n"), "empty": says("{}"), "allow": says(`{"decision":"allow","reason":"fine"}`),
		"deny": says(`{"decision":"deny","reason":"not today"}`), "deny2": {ExitCode: 2, Stderr: "by code\n"}, "mute2": {ExitCode: 2},
		"denyjson2": {ExitCode: 2, Stdout: `{"decision":"allow"}`, Stderr: "no"},
		"set":       says(`{"arguments":{"b":2,"c":{"d":"<x>"}}}`), "set3": says(`{"decision":"allow","arguments":{"b":3}}`), "same": says(`{"arguments":{"b": 1}}`), "null": says(`{"arguments":{"a":null}}`),
		"denyset": says(`{"decision":"deny","reason":"r","arguments":{"b":9}}`),
		"answer":  says(`{"result":"instead"}`), "answer2": says(`{"result":""}`),
		"one": {ExitCode: 1, Stderr: "oops"}, "49": {ExitCode: 49}, "killed": {Signal: "SIGKILL", ExitCode: 137}, "slow": {TimedOut: true, Limit: 30 * time.Second},
		"text": says("ok"), "half": says(`{"decision":"de`), "list": says(`[]`), "twice": says(`{}{}`), "misspelt": says(`{"desicion":"deny"}`),
		"unknown": says(`{"decision":"maybe"}`), "number": says(`{"decision":1}`), "args": says(`{"arguments":[1]}`), "argtext": says(`{"arguments":"x"}`),
		"resultno": says(`{"result":5}`), "null!": says("null"), "string": says(`"deny"`),
		"nodecision": says(`{"decision":null,"reason":"must not run"}`), "reason": says(`{"reason":"must not run"}`), "reasonempty": says(`{"reason":""}`),
		"reasonresult": says(`{"reason":"must not run","result":"instead"}`), "reasonnull": says(`{"decision":"allow","reason":null}`), "reasonno": says(`{"decision":"allow","reason":1}`),
		"repeated": says(`{"decision":"deny","decision":"allow"}`), "agreed": says(`{"decision":"allow","decision":"allow"}`), "cased": says(`{"decision":"deny","Decision":"allow"}`),
		"escaped": says(`{"decision":"deny","\u0064ecision":"allow"}`), "argtwice": says(`{"arguments":{"b":2,"b":3}}`), "deeptwice": says(`{"arguments":{"c":[{"d":1},{"d":1,"d":2}]}}`),
		"deep": says(`{"arguments":{"b":2,"c":[{"b":1,"c":[]},{"b":"b"}]}}`), "argnull": says(`{"decision":"allow","arguments":null}`), "resultnull": says(`{"decision":"allow","result":null}`),
		"flood": {Truncated: true, Stdout: "{}"}, "upper": says(`{"decision":"DENY"}`),
	}
	const same = `{"a":1,"b":1}`
	for _, tt := range []struct {
		hooks  string
		got    string // arguments that reach the tool, "" where it is not called
		reason string // of the denial
		text   string // the result, where it is not the tool's own
	}{
		{"silent", same, "", ""}, {"blank", same, "", ""}, {"empty", same, "", ""}, {"allow", same, "", ""}, {"reasonnull", same, "", ""},
		{"deny", "", "hook deny: not today", ""},
		{"deny2", "", "hook deny2: by code", ""},
		{"mute2", "", "hook mute2: it gave no reason", ""},
		{"denyjson2", "", "hook denyjson2: no", ""},
		{"allow deny", "", "hook deny: not today", ""},
		{"deny allow", "", "hook deny: not today", ""},
		{"deny deny2", "", "hook deny: not today; hook deny2: by code", ""},
		{"deny one", "", "hook deny: not today; hook one failed: it ended with exit code 1: oops", ""},
		{"set", `{"a":1,"b":2,"c":{"d":"<x>"}}`, "", ""},
		{"set set3", `{"a":1,"b":3,"c":{"d":"<x>"}}`, "", ""},
		{"set3 set", `{"a":1,"b":2,"c":{"d":"<x>"}}`, "", ""},
		{"same", same, "", ""},
		{"null", `{"a":null,"b":1}`, "", ""},
		{"set deny", "", "hook deny: not today", ""},
		{"denyset", "", "hook denyset: r", ""},
		{"answer", "", "", "instead"},
		{"answer answer2", "", "", ""},
		{"answer deny", "", "hook deny: not today", ""},
		{"one", "", "hook one failed: it ended with exit code 1: oops", ""},
		{"49", "", "hook 49 failed: it ended with exit code 49", ""},
		{"killed", "", "hook killed failed: it was terminated by SIGKILL", ""},
		{"slow", "", "hook slow failed: it timed out after 30s", ""},
		{"missing", "", "hook missing failed: starting missing: it is not on the PATH", ""},
		{"text", "", `hook text failed: its answer cannot be read: it is not one JSON value: "ok"`, ""},
		{"half", "", `hook half failed: its answer cannot be read: it is not one JSON value: "{\"decision\":\"de"`, ""},
		{"list", "", "hook list failed: its answer cannot be read: it has to be a JSON object, got an array", ""},
		{"null!", "", "hook null! failed: its answer cannot be read: it has to be a JSON object, got null", ""},
		{"string", "", `hook string failed: its answer cannot be read: it has to be a JSON object, got the string "deny"`, ""},
		{"twice", "", `hook twice failed: its answer cannot be read: it is not one JSON value: "{}{}"`, ""},
		{"misspelt", "", `hook misspelt failed: its answer cannot be read: unknown key "desicion"; allowed: decision, reason, tool, arguments, result, state`, ""},
		{"nodecision", "", `hook nodecision failed: its answer cannot be read: "decision" has to be a string, got null`, ""},
		{"reason", "", "hook reason failed: its answer cannot be read: a reason requires a decision", ""},
		{"reasonempty", "", "a reason requires a decision", ""},
		{"reasonresult", "", "a reason requires a decision", ""},
		{"reasonno", "", `"reason" has to be a string, got the number 1`, ""},
		{"repeated", "", `hook repeated failed: its answer cannot be read: it has the key "decision" twice`, ""},
		{"agreed", "", `it has the key "decision" twice`, ""},
		{"escaped", "", `it has the key "decision" twice`, ""},
		{"cased", "", `unknown key "Decision"`, ""},
		{"argtwice", "", `it has the key "b" twice`, ""},
		{"deeptwice", "", `it has the key "d" twice`, ""},
		{"deep", `{"a":1,"b":2,"c":[{"b":1,"c":[]},{"b":"b"}]}`, "", ""},
		{"argnull", "", `"arguments" has to be an object, got null`, ""},
		{"resultnull", "", `"result" has to be a string, got null`, ""},
		{"unknown", "", `the decision "maybe" is neither allow, deny nor stop`, ""},
		{"upper", "", `the decision "DENY" is neither`, ""},
		{"number", "", `hook number failed: its answer cannot be read: "decision" has to be a string, got the number 1`, ""},
		{"args", "", `hook args failed: its answer cannot be read: "arguments" has to be an object, got an array`, ""},
		{"argtext", "", `hook argtext failed: its answer cannot be read: "arguments" has to be an object, got the string "x"`, ""},
		{"resultno", "", `hook resultno failed: its answer cannot be read: "result" has to be a string, got the number 5`, ""},
		{"flood", "", "hook flood failed: it printed more than can be read", ""},
	} {
		t.Run(tt.hooks, func(t *testing.T) {
			names := strings.Fields(tt.hooks)
			b := &bench{programs: programs{results: results}, options: Options{Hooks: map[string][]Command{before: commands(names...)}}}
			result, err := b.call(t.Context(), same)
			if err != nil {
				t.Fatal(err)
			}
			if len(b.received) != len(names) {
				t.Errorf("%d of %d hooks were run", len(b.received), len(names))
			}
			approvals := eventsOf[agent.ToolApproval](b.events)
			if tt.reason != "" {
				if len(b.got) != 0 || !result.Failed || !strings.HasPrefix(result.Text, "Tool call invocation rejected. ") || !strings.Contains(result.Text, tt.reason) {
					t.Errorf("tool saw %q, result %+v", b.got, result)
				}
				if len(approvals) != 1 || approvals[0].ID != "c1" || approvals[0].Decision != "denied" || approvals[0].By != "hook" || !strings.Contains(approvals[0].Reason, tt.reason) {
					t.Errorf("approvals %+v", approvals)
				}
				return
			}
			if len(approvals) != 0 {
				t.Errorf("approvals %+v", approvals)
			}
			if tt.got == "" {
				if len(b.got) != 0 || result.Text != tt.text || result.Failed {
					t.Errorf("tool saw %q, result %+v", b.got, result)
				}
				return
			}
			if !slices.Equal(b.got, []string{tt.got}) || result.Text != "tool's own" {
				t.Errorf("tool saw %q, result %+v", b.got, result)
			}
			if changed := tt.got != same; changed != (len(eventsOf[agent.HookEvent](b.events)) > 0) {
				t.Errorf("events %+v", b.events)
			}
		})
	}
}

func eventsOf[T any](events []agent.Event) (out []T) {
	for _, e := range events {
		if e, ok := e.(T); ok {
			out = append(out, e)
		}
	}
	return out
}

// TestAfter checks the answers that hooks can give after a call.
func TestAfter(t *testing.T) {
	results := map[string]script.Result{
		"silent": {}, "allow": says(`{"decision":"allow"}`), "new": says(`{"result":"cleaned"}`), "newer": says(`{"result":"cleaner"}`),
		"deny": says(`{"decision":"deny","reason":"secret"}`), "deny2": {ExitCode: 2, Stderr: "no"}, "args": says(`{"arguments":{}}`), "one": {ExitCode: 1}, "text": says("x"),
		"null": says("null"), "reason": says(`{"reason":"secret"}`), "resultnull": says(`{"result":null}`), "add": says(`{"messages":[{"role":"user","text":"mind"}]}`),
		"addto": says(`{"result":"cleaned","messages":[{"role":"user","text":"more","source":"rules"}]}`), "none": says(`{"messages":[]}`),
		"model": says(`{"messages":[{"role":"assistant","text":"x"}]}`), "blank": says(`{"messages":[{"role":"user","text":""}]}`), "twice": says(`{"result":"a","result":"b"}`),
	}
	for _, tt := range []struct{ hooks, want, withheld string }{
		{"add", "tool's own after=mind", ""}, {"add addto", "cleaned after=mind rules=more", ""}, {"none", "tool's own", ""},
		{"add deny", "", "hook deny: secret"}, {"model", "", `hook model failed: its answer cannot be read: message 1 has the role "assistant", which is not user`},
		{"blank", "", "hook blank failed: its answer cannot be read: message 1 has no text"},
		{"silent", "tool's own", ""}, {"allow", "tool's own", ""}, {"new", "cleaned", ""}, {"new newer", "cleaner", ""},
		{"deny", "", "hook deny: secret"}, {"deny2 deny", "", "hook deny2: no; hook deny: secret"}, {"deny new", "", "hook deny: secret"},
		{"args", "", "hook args failed: its answer cannot be read: unknown key \"arguments\"; allowed: decision, reason, result, messages, state"},
		{"null", "", "hook null failed: its answer cannot be read: it has to be a JSON object, got null"},
		{"reason", "", "hook reason failed: its answer cannot be read: a reason requires a decision"},
		{"resultnull", "", `hook resultnull failed: its answer cannot be read: "result" has to be a string, got null`},
		{"twice", "", `hook twice failed: its answer cannot be read: it has the key "result" twice`},
		{"one", "", "hook one failed: it ended with exit code 1"}, {"text", "", "hook text failed"}, {"missing", "", "hook missing failed"},
	} {
		t.Run(tt.hooks, func(t *testing.T) {
			b := &bench{programs: programs{results: results}, options: Options{Hooks: map[string][]Command{after: commands(strings.Fields(tt.hooks)...)}}}
			result, err := b.call(t.Context(), `{}`)
			if err != nil || len(b.got) != 1 {
				t.Fatal(err, b.got)
			}
			got := result.Text
			for _, m := range result.Messages {
				got += " " + m.Provider + "=" + m.Text
			}
			if tt.withheld == "" && (got != tt.want || result.Failed) || tt.withheld != "" && got != result.Text {
				t.Errorf("got %+v", result)
			}
			if tt.withheld != "" && (!result.Failed || strings.Contains(result.Text, "tool's own") || strings.Contains(result.Text, "cleaned") ||
				!strings.HasPrefix(result.Text, "Error: The call was made, but its result is withheld. "+tt.withheld)) {
				t.Errorf("got %+v", result)
			}
		})
	}
}

// TestInput checks the input of hooks: call and result as earlier hooks changed them.
func TestInput(t *testing.T) {
	b := &bench{
		programs: programs{results: map[string]script.Result{"set": says(`{"arguments":{"a":2}}`), "new": says(`{"result":"n"}`), "silent": {}}},
		options:  Options{Hooks: map[string][]Command{before: commands("set", "silent"), after: commands("new", "silent")}},
	}
	if _, err := b.call(t.Context(), `{"a":1}`); err != nil {
		t.Fatal(err)
	}
	if len(b.received) != 4 || !slices.Equal(b.env, []string{"SKILLS_HOOK_EVENT=before", "SKILLS_HOOK_EVENT=before", "SKILLS_HOOK_EVENT=after", "SKILLS_HOOK_EVENT=after"}) {
		t.Fatalf("received %+v with %q", b.received, b.env)
	}
	first, second, last := b.received[0], b.received[1], b.received[3]
	if first.Event != "before" || first.SchemaVersion != 1 || first.RunID != "r1" || first.Cwd != "/work" || first.Tool != "run" || first.CallID != "c1" ||
		string(first.Arguments) != `{"a":1}` || first.Turn != 2 || first.Index != 1 || first.Count != 3 || first.Result != nil {
		t.Errorf("the first received %+v", first)
	}
	if first.Model != "m1" || !first.Streaming || first.Iteration != 1 || len(first.Messages) != 1 || first.Messages[0].Text != "key hidden" {
		t.Errorf("the first received about the run %+v", first)
	}
	if string(second.Arguments) != `{"a":2}` {
		t.Errorf("the second received %s", second.Arguments)
	}
	if b.received[2].Result == nil || b.received[2].Result.Output != "tool's own" || *b.received[2].Result.ExitCode != 0 {
		t.Errorf("the third received %+v", b.received[2].Result)
	}
	if last.Event != "after" || string(last.Arguments) != `{"a":2}` || last.Result == nil || !last.Result.OK || last.Result.Output != "n" {
		t.Errorf("the last received %+v", last)
	}
}

// TestErrors checks that a tool's error is passed on, and that of an ended run too.
func TestErrors(t *testing.T) {
	b := &bench{programs: programs{results: map[string]script.Result{"silent": {}}}, options: Options{Hooks: map[string][]Command{after: commands("silent")}}, fails: errors.New("disk full")}
	result, err := b.call(t.Context(), `{}`)
	if err != nil || !result.Failed || !result.Broken || b.received[0].Result.Output != "Error: Failed to execute tool 'run': disk full" {
		t.Errorf("got %+v, %v, received %+v", result, err, b.received)
	}
	b = &bench{fails: errors.New("disk full"), options: Options{Hooks: map[string][]Command{before: commands("silent")}}, programs: programs{results: map[string]script.Result{"silent": {}}}}
	if _, err := b.call(t.Context(), `{}`); err != b.fails {
		t.Errorf("without hooks after it: got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	b = &bench{programs: programs{stop: cancel}, options: Options{Hooks: map[string][]Command{before: commands("silent")}}}
	if _, err := b.call(ctx, `{}`); err == nil || !strings.Contains(err.Error(), "enough") || len(b.got) != 0 {
		t.Errorf("a run that is over: got %v, called with %q", err, b.got)
	}
}

// TestFault checks that hooks before a call see one that no tool can answer, and those
// after it do not.
func TestFault(t *testing.T) {
	b := &bench{programs: programs{results: map[string]script.Result{"x": says("{}"), "deny": says(`{"decision":"deny","reason":"no"}`), "answer": says(`{"result":"instead"}`)}}}
	b.options.Runner = b
	for hook, want := range map[string]string{"x": "no such tool", "deny": "Tool call invocation rejected. hook deny: no", "answer": "instead"} {
		b.received, b.options.Hooks = nil, map[string][]Command{before: commands(hook), after: commands("x")}
		handler := New(b.options).Middleware()(func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			return agent.ToolResult{Text: inv.Fault}, nil
		})
		inv := &agent.Invocation{Fault: "no such tool", Call: agent.ToolCall{ID: "c1", Name: "rum", Arguments: "{half"}, Emit: func(agent.Event) {}}
		result, err := handler(t.Context(), inv)
		if err != nil || result.Text != want {
			t.Errorf("%s: got %+v, %v", hook, result, err)
		}
		first := b.received[0]
		if first.Tool != "rum" || first.Invalid != "no such tool" || string(first.Arguments) != `"{half"` || first.Event != before {
			t.Errorf("%s: received %+v", hook, first)
		}
	}
}
