package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestMediation checks that every request and every text passes through the middlewares
// and the output filter, whatever else happens to it.
func TestMediation(t *testing.T) {
	look := NewTool("look", "Looks.", map[string]any{"type": "object"}, func(context.Context, *Invocation, struct{}) (Action, error) {
		return Answer(Summary{}, ToolResult{Text: "seen"}), nil
	})
	call := openaitest.Reply{Text: "secret so far", Calls: []openaitest.Call{{ID: "c1", Name: "look", Arguments: `{}`}}}
	full := openaitest.Reply{Status: 400, Body: `{"error":{"message":"maximum context length is 100 tokens","code":"context_length_exceeded"}}`}
	stop := &EndError{Reason: "enough"}
	for name, tt := range map[string]struct {
		replies []openaitest.Reply
		change  Config
		before  func(*ModelCall) error
		after   func(*Reply) error
		output  func(*OutputText) error

		text, err string
		status    Status
		requests  int // that the middleware saw
	}{
		"plain": {replies: []openaitest.Reply{call, openaitest.Text("secret")}, text: "[x]", status: Completed, requests: 2},
		// The server refuses the first request for its size, and the compacted one is new.
		"compacted":    {replies: []openaitest.Reply{openaitest.Text("first"), call, full, openaitest.Text("secret")}, text: "[x]", status: Completed, requests: 4},
		"turn limit":   {replies: []openaitest.Reply{call, openaitest.Text("secret, closing")}, change: Config{Limits: Limits{Turns: 1}}, text: "[x], closing", err: "turn limit", status: LimitHit, requests: 2},
		"stop before":  {replies: []openaitest.Reply{call}, before: func(c *ModelCall) error { return when(c.Turn == 2, stop) }, text: "[x] so far", status: Completed, requests: 2},
		"stop after":   {replies: []openaitest.Reply{openaitest.Text("secret")}, after: func(*Reply) error { return stop }, text: "[x]", status: Completed, requests: 1},
		"deny before":  {before: func(*ModelCall) error { return errors.New("no") }, err: "no", status: Failed, requests: 1},
		"deny after":   {replies: []openaitest.Reply{openaitest.Text("secret")}, after: func(*Reply) error { return errors.New("no") }, err: "no", status: Failed, requests: 1},
		"deny output":  {replies: []openaitest.Reply{openaitest.Text("secret")}, output: func(*OutputText) error { return errors.New("no") }, err: "no", status: Failed, requests: 1},
		"panic output": {replies: []openaitest.Reply{openaitest.Text("secret")}, output: func(*OutputText) error { panic("bug") }, err: "panic", status: Failed, requests: 1},
		"other calls": {change: Config{Limits: Limits{Failures: 1}}, replies: []openaitest.Reply{call, openaitest.Text("done")}, after: func(r *Reply) error {
			for i := range r.Calls {
				r.Calls[i].Name = "nothing"
			}
			return nil
		}, text: "done", status: Completed, requests: 2},
	} {
		t.Run(name, func(t *testing.T) {
			server := openaitest.New(t, tt.replies...)
			var events []Event
			seen := 0
			c := tt.change
			c.Server, c.Model, c.Providers = Server{BaseURL: server.URL}, "m1", []ContextProvider{offers{look}}
			c.Stream, c.Hold = true, true
			c.Events = func(e Event) { events = append(events, e) }
			c.ModelMiddleware = []ModelMiddleware{func(next ModelHandler) ModelHandler {
				return func(ctx context.Context, call *ModelCall) (Reply, error) {
					seen++
					if tt.before != nil {
						if err := tt.before(call); err != nil {
							return Reply{}, err
						}
					}
					call.Request.Instructions = "checked"
					reply, err := next(ctx, call)
					if err == nil && tt.after != nil {
						err = tt.after(&reply)
					}
					return reply, err
				}
			}}
			c.Output = func(_ context.Context, o *OutputText) error {
				o.Text = strings.ReplaceAll(o.Text, "secret", "[x]")
				if tt.output != nil {
					return tt.output(o)
				}
				return nil
			}
			a, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			session := NewSession()
			if name == "compacted" {
				a.config.Providers = append(a.config.Providers, earlier{})
				_, err = a.Run(t.Context(), session, "first")
				if err != nil {
					t.Fatal(err)
				}
			}
			result, err := a.Run(t.Context(), session, "go")
			if result.Text != tt.text || result.Status != tt.status || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q, %s, %v", result.Text, result.Status, err)
			}
			if seen != tt.requests {
				t.Errorf("the middleware saw %d requests, want %d", seen, tt.requests)
			}
			for _, r := range server.Requests() {
				if !slices.ContainsFunc(r.Messages, func(m openaitest.Message) bool { return m.Role == "system" && m.Text == "checked" }) {
					t.Errorf("a request was sent without the middleware: %+v", r.Messages)
				}
			}
			for _, e := range events {
				if m, ok := e.(MessageEvent); ok && strings.Contains(m.Text, "secret") && !strings.HasPrefix(m.Text, "secret so far") {
					t.Errorf("emitted %+v", m)
				}
				if _, ok := e.(MessageDelta); ok {
					t.Error("a piece of text was not held back")
				}
			}
		})
	}
}

func when(condition bool, err error) error {
	if condition {
		return err
	}
	return nil
}

// earlier is a history that is long enough to be compacted.
type earlier struct{}

func (earlier) Name() string  { return "earlier" }
func (earlier) LoadsHistory() {}
func (earlier) Invoking(context.Context, *Invoking) (Context, error) {
	long := strings.Repeat("word ", 2000)
	return Context{Messages: []Message{{Role: User, Source: FromHistory, Text: long}, {Role: Assistant, Source: FromHistory, Text: long}}}, nil
}
func (earlier) Invoked(context.Context, *Invoked) error { return nil }

// offers is a context provider with tools.
type offers []Tool

func (offers) Name() string { return "tools" }
func (o offers) Invoking(context.Context, *Invoking) (Context, error) {
	return Context{Tools: o}, nil
}
func (offers) Invoked(context.Context, *Invoked) error { return nil }
