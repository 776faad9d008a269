package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/script"
	"skills/internal/testing/openaitest"
)

// around answers for hooks by their first word, and keeps what they read.
type around struct {
	results  map[string]script.Result
	received []runEvent
}

func (a *around) Ask(ctx context.Context, command []string, input []byte, _ ...string) (script.Result, error) {
	e := runEvent{outcome: &outcome{}}
	if err := json.Unmarshal(input, &e); err != nil {
		return script.Result{}, err
	}
	a.received = append(a.received, e)
	r, ok := a.results[command[0]]
	if ctx.Err() != nil || !ok {
		return r, fmt.Errorf("starting %s: it is not on the PATH", command[0])
	}
	return r, nil
}

// TestRun checks what each answer of a hook before or after the run does to the run.
func TestRun(t *testing.T) {
	results := map[string]script.Result{
		"silent": {}, "allow": says(`{"decision":"allow"}`), "rule": says("\uFEFF" + `{"instructions":"Be brief."}`), "rule2": says(`{"instructions":"Be kind.","messages":[]}`),
		"past": says(`{"messages":[{"role":"user","text":"q1"},{"role":"assistant","text":"a1"}]}`),
		"deny": says(`{"decision":"deny","reason":"not today"}`), "deny2": {ExitCode: 2, Stderr: "by code\n"}, "stop": says(`{"decision":"stop","reason":"enough"}`),
		"tool": says(`{"messages":[{"role":"tool","text":"x"}]}`), "more": says(`{"messages":[{"role":"user","text":"x","extra":1}]}`), "blank": says(`{"messages":[{"role":"user"}]}`),
		"object": says(`{"messages":{}}`), "nothing": says(`{"instructions":null}`), "arguments": says(`{"arguments":{}}`), "text": says("ok"),
		"slow": {TimedOut: true, Limit: 30 * time.Second}, "flood": {Truncated: true, Stdout: "{}"}, "killed": {Signal: "SIGKILL"},
	}
	for _, tt := range []struct {
		before, after string
		sent          string // roles and texts of the request, "" where none is sent
		status        agent.Status
		err           string
		text          string
	}{
		{"", "", "user go", agent.Completed, "", "done"},
		{"silent allow", "silent allow", "user go", agent.Completed, "", "done"},
		{"rule past rule2", "", "system Be brief.\n\nBe kind.|user q1|assistant a1|user go", agent.Completed, "", "done"},
		{"deny rule", "", "", agent.Failed, "before-run: hook deny: not today", ""},
		{"deny2", "silent", "", agent.Failed, "hook deny2: by code", ""},
		{"stop", "", "", agent.Completed, "", ""},
		{"missing", "", "", agent.Failed, "hook missing failed: starting missing", ""},
		{"tool", "", "", agent.Failed, `message 1 has the role "tool", which is neither user nor assistant`, ""},
		{"more", "", "", agent.Failed, `"messages" has to be a list`, ""},
		{"blank", "", "", agent.Failed, "message 1 has no text", ""},
		{"object", "", "", agent.Failed, `"messages" has to be a list of objects with role (user or assistant) and text, got an object`, ""},
		{"nothing", "", "", agent.Failed, `"instructions" has to be a string, got null`, ""},
		{"arguments", "", "", agent.Failed, `unknown key "arguments"; allowed: decision, reason, instructions, messages`, ""},
		{"text", "", "", agent.Failed, "hook text failed: its answer cannot be read", ""},
		{"slow", "", "", agent.Failed, "hook slow failed: it timed out after 30s", ""},
		{"flood", "", "", agent.Failed, "hook flood failed: it printed more than can be read", ""},
		{"killed", "", "", agent.Failed, "hook killed failed: it was terminated by SIGKILL", ""},
		{"", "deny", "user go", agent.Failed, "hook deny: not today", "done"},
		{"", "deny deny2", "user go", agent.Failed, "hook deny: not today; hook deny2: by code", "done"},
		{"", "stop", "user go", agent.Failed, "there is nothing to stop after the run", "done"},
		{"", "rule", "user go", agent.Failed, `unknown key "instructions"; allowed: decision, reason`, "done"},
		{"deny", "slow", "", agent.Failed, "not today; hook slow failed: it timed out after 30s", ""},
	} {
		t.Run(tt.before+"/"+tt.after, func(t *testing.T) {
			var replies []openaitest.Reply
			if tt.sent != "" {
				replies = append(replies, openaitest.Text("done"))
			}
			server, programs := openaitest.New(t, replies...), &around{results: results}
			run := New(Options{Runner: programs, Session: "/s", Hooks: map[string][]Command{beforeRun: commands(strings.Fields(tt.before)...), afterRun: commands(strings.Fields(tt.after)...)}})
			a, err := agent.New(agent.Config{
				Server: agent.Server{BaseURL: server.URL}, Model: "m1", Providers: []agent.ContextProvider{run}, RunMiddleware: []agent.RunMiddleware{run.After},
			})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Run(t.Context(), nil, "go")
			if result.Status != tt.status || result.Text != tt.text || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %+v, %v", result, err)
			}
			var sent []string
			for _, r := range server.Requests() {
				for _, m := range r.Messages {
					sent = append(sent, m.Role+" "+m.Text)
				}
			}
			if got := strings.Join(sent, "|"); got != tt.sent {
				t.Errorf("sent %q, want %q", got, tt.sent)
			}
			for i, e := range programs.received {
				if e.Prompt != "go" || e.Model != "m1" || e.Session != "/s" || e.Messages == nil {
					t.Errorf("hook %d received %+v", i, e)
				}
				if e.Event == afterRun && (e.Status == "" || e.Answer != tt.text || tt.sent != "" && len(e.Messages) != 2) {
					t.Errorf("hook %d received %+v", i, e)
				}
			}
			if n := len(strings.Fields(tt.after)); n > 0 && len(programs.received) < n {
				t.Errorf("%d hooks were run", len(programs.received))
			}
		})
	}
}

// TestAfterSignal checks that after-run hooks run even if the run was interrupted, and
// that a signal ends them and interrupts a run that was not interrupted before.
func TestAfterSignal(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	for name, tt := range map[string]struct {
		before, during error // signals
		status, seen   agent.Status
		text           string
	}{
		"none":   {nil, nil, agent.Completed, agent.Completed, "done"},
		"before": {first, nil, agent.Interrupted, agent.Interrupted, ""},
		"during": {nil, second, agent.Interrupted, agent.Completed, "done"},
		"twice":  {first, second, agent.Interrupted, agent.Interrupted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.before != nil {
				cancel(tt.before)
			}
			ctx = context.WithValue(ctx, UntilSignal{}, func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				if tt.during != nil {
					cancel(tt.during)
				}
				return ctx, func() { cancel(nil) }
			})
			programs := &around{results: map[string]script.Result{"silent": {}}}
			server := openaitest.Start(openaitest.Text("done"))
			defer server.Close()
			a, err := agent.New(agent.Config{
				Server: agent.Server{BaseURL: server.URL}, Model: "m1", RunMiddleware: []agent.RunMiddleware{New(Options{Runner: programs, Hooks: map[string][]Command{afterRun: commands("silent")}}).After},
			})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Run(ctx, nil, "go")
			seen := ""
			if tt.before != nil {
				seen = tt.before.Error()
			}
			if result.Status != tt.status || result.Text != tt.text || len(programs.received) != 1 || programs.received[0].Status != tt.seen || programs.received[0].Error != seen {
				t.Errorf("got %+v, %v, received %+v", result, err, programs.received)
			}
			if want := cmp.Or(tt.before, tt.during); !errors.Is(err, want) || want != nil && strings.Contains(err.Error(), "hook failed") {
				t.Errorf("error %v, want %v", err, want)
			}
		})
	}
}

// TestStop checks that a hook before or after a call can end the run, and that later
// hooks are then not run.
func TestStop(t *testing.T) {
	results := map[string]script.Result{"stop": says(`{"decision":"stop","reason":"enough"}`), "last": says(`{"decision":"stop","result":"cleaned"}`), "silent": {}}
	for _, tt := range []struct {
		before, after, text, reason string
		calls, asked                int
	}{
		{"silent stop silent", "silent", "Skipped: the run ends here. hook stop: enough", "hook stop: enough", 0, 2},
		{"", "silent stop silent", "tool's own", "hook stop: enough", 1, 2},
		{"", "last stop", "cleaned", "hook last: it gave no reason", 1, 1},
	} {
		b := &bench{programs: programs{results: results}, options: Options{Hooks: map[string][]Command{before: commands(strings.Fields(tt.before)...), after: commands(strings.Fields(tt.after)...)}}}
		result, err := b.call(t.Context(), `{}`)
		end, ok := errors.AsType[*agent.EndError](b.stopped)
		if err != nil || !ok || end.Reason != tt.reason || result.Text != tt.text || len(b.got) != tt.calls || len(b.received) != tt.asked {
			t.Errorf("%s/%s: got %+v, %v, stopped by %v after %d hooks", tt.before, tt.after, result, err, b.stopped, len(b.received))
		}
	}
}

func TestReasonLength(t *testing.T) {
	long := strings.Repeat("ü", maxReason)
	if got := brief(long + "ü"); got != long+"…" {
		t.Errorf("got %d bytes ending %q", len(got), got[len(got)-8:])
	}
}
