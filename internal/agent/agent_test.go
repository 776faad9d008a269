package agent_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// setup is an agent against a scripted server, with what it did.
type setup struct {
	agent  *agent.Agent
	server *openaitest.Server

	mu     sync.Mutex
	events []agent.Event
	waits  []time.Duration
}

// start builds an agent for a server; change may alter the configuration.
func start(t *testing.T, server *openaitest.Server, change func(*agent.Config)) *setup {
	t.Helper()
	s := &setup{server: server}
	c := agent.Config{
		Server: agent.Server{BaseURL: server.URL, Retries: 2},
		Model:  "test-model",
		Limits: agent.Limits{Idle: agent.DefaultIdle, Failures: 3},
		Events: func(e agent.Event) { s.mu.Lock(); defer s.mu.Unlock(); s.events = append(s.events, e) },
		Clock: agent.Clock{Wait: func(ctx context.Context, d time.Duration) error {
			s.waits = append(s.waits, d)
			return ctx.Err()
		}},
	}
	if change != nil {
		change(&c)
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	s.agent = a
	return s
}

func (s *setup) run(t *testing.T, prompt string) (agent.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	return s.agent.Run(ctx, nil, prompt)
}

// kinds lists the types of all events; how many deltas a text comes in depends
// on how the network passes it on.
func (s *setup) kinds() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, e := range s.events {
		if kind := e.EventType(); kind == "request" || kind == "progress" {
			continue // one before each turn, and many in a reply
		}
		if e.EventType() == "message.delta" && out != nil && out[len(out)-1] == "message.delta" {
			continue
		}
		out = append(out, e.EventType())
	}
	return out
}

func eventsOf[E agent.Event](s *setup) []E {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []E
	for _, e := range s.events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// inContext is text of a provider or the agent as it is sent at the end of another message.
func inContext(text string) string { return "\n\n<context>\n" + text + "\n</context>" }

// both runs a test against plain and streamed replies.
func both(t *testing.T, f func(t *testing.T, stream bool)) {
	for name, stream := range map[string]bool{"plain": false, "stream": true} {
		t.Run(name, func(t *testing.T) { f(t, stream) })
	}
}

// provider is a context provider that only adds tools.
type provider struct {
	name     string
	context  agent.Context
	invoking func(*agent.Invoking) error
	invoked  func(context.Context, *agent.Invoked) error
}

func (p *provider) Name() string { return p.name }

func (p *provider) Invoking(_ context.Context, in *agent.Invoking) (agent.Context, error) {
	if p.invoking != nil {
		return p.context, p.invoking(in)
	}
	return p.context, nil
}

func (p *provider) Invoked(ctx context.Context, out *agent.Invoked) error {
	if p.invoked != nil {
		return p.invoked(ctx, out)
	}
	return nil
}

func tools(list ...agent.Tool) []agent.ContextProvider {
	return []agent.ContextProvider{&provider{name: "tools", context: agent.Context{Tools: list}}}
}

var objectSchema = map[string]any{"type": "object", "properties": map[string]any{}}

// echo answers with its arguments.
func echo(name string) agent.Tool {
	return agent.Tool{
		Name: name, Description: "echoes", Schema: objectSchema,
		Prepare: calls(func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			return agent.ToolResult{Text: name + string(inv.Arguments)}, nil
		}),
	}
}

// calls returns the Prepare of a tool that calls f and needs no approval.
func calls(f agent.Handler) func(context.Context, *agent.Invocation) (agent.Action, error) {
	return func(_ context.Context, inv *agent.Invocation) (agent.Action, error) {
		return agent.Simple(inv.Describe(), func(ctx context.Context) (agent.ToolResult, error) { return f(ctx, inv) }), nil
	}
}

// asking is an action on which somebody decides.
type asking struct{ agent.Action }

func (a asking) Approval() *agent.Approval { return &agent.Approval{Action: a.Summary()} }

// approval is the middleware for an approver that reads the call only.
func approval(approve func(context.Context, *agent.Invocation) (agent.Decision, error)) agent.Middleware {
	return agent.RequireApproval(func(ctx context.Context, inv *agent.Invocation, _ *agent.Approval) (agent.Decision, error) {
		return approve(ctx, inv)
	})
}

// guarded has somebody decide on the calls of a tool, except the free ones.
func guarded(t agent.Tool, free ...string) agent.Tool {
	prepare := t.Prepare
	t.Prepare = func(ctx context.Context, inv *agent.Invocation) (agent.Action, error) {
		action, err := prepare(ctx, inv)
		if err == nil && !slices.Contains(free, inv.Call.ID) {
			action = asking{action}
		}
		return action, err
	}
	return t
}

func call(id, name, arguments string) openaitest.Call {
	return openaitest.Call{ID: id, Name: name, Arguments: arguments}
}

// results lists the texts of a conversation's tool messages by call id.
func results(r agent.Result) []string {
	var out []string
	for _, m := range r.Messages {
		if m.Role == agent.ToolRole {
			out = append(out, m.CallID+"="+m.Text)
		}
	}
	return out
}

func TestAnswer(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, openaitest.Reply{Text: "hello there, 世界", Usage: &openaitest.Usage{Input: 7, Output: 3}})
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Instructions = "be brief" })
		result, err := s.run(t, "hi")
		if err != nil {
			t.Fatal(err)
		}
		if result.Status != agent.Completed || result.Text != "hello there, 世界" || result.Turns != 1 || result.ToolCalls != 0 {
			t.Errorf("got %+v", result)
		}
		if result.Usage == nil || *result.Usage != (agent.Usage{InputTokens: 7, OutputTokens: 3}) {
			t.Errorf("usage: got %v", result.Usage)
		}
		want := []string{"ready", "message", "message", "usage"}
		if stream {
			want = []string{"ready", "message", "message.delta", "message", "usage"}
		}
		if got := s.kinds(); !slices.Equal(got, want) {
			t.Errorf("events: got %v, want %v", got, want)
		}
		request := server.Requests()[0]
		if request.Stream != stream || request.Model != "test-model" || len(request.Messages) != 2 ||
			request.Messages[0].Role != "system" || request.Messages[0].Text != "be brief" || request.Messages[1].Text != "hi" {
			t.Errorf("request: got %s", request.Body)
		}
		if request.Header.Get("Authorization") != "" {
			t.Error("without a key an Authorization header was sent")
		}
		for name := range request.Header {
			if strings.HasPrefix(name, "X-Stainless") {
				t.Errorf("the header %s tells about the machine", name)
			}
		}
		if request.Header.Get("User-Agent") != "skills" {
			t.Errorf("user agent: got %q", request.Header.Get("User-Agent"))
		}
	})
}

func TestToolLoop(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t,
			openaitest.Reply{Text: "let me look", Calls: []openaitest.Call{call("c1", "one", `{"a":1}`), call("c2", "two", `{"b":"xyz"}`)}, Usage: &openaitest.Usage{Input: 10, Output: 1}},
			openaitest.Do(call("c3", "one", "")),
			openaitest.Reply{Text: "done", Usage: &openaitest.Usage{Input: 20, Output: 2}},
		)
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Server.NoStream = stream, !stream
			c.Providers = tools(echo("one"), echo("two"))
		})
		result, err := s.run(t, "go")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := results(result), []string{`c1=one{"a":1}`, `c2=two{"b":"xyz"}`, "c3=one{}"}; !slices.Equal(got, want) {
			t.Errorf("results: got %q, want %q", got, want)
		}
		if result.Turns != 3 || result.ToolCalls != 3 || *result.Usage != (agent.Usage{InputTokens: 30, OutputTokens: 3}) {
			t.Errorf("got %+v", result)
		}
		kinds := slices.DeleteFunc(s.kinds(), func(k string) bool { return k == "message.delta" })
		want := []string{"ready", "message", "message", "tool.call", "tool.call", "usage", "action", "tool.result", "action", "tool.result", "tool.call", "action", "tool.result", "message", "usage"}
		if !slices.Equal(kinds, want) {
			t.Errorf("events: got %v, want %v", kinds, want)
		}
		second := server.Requests()[1].Messages
		if len(second) != 4 || second[1].Role != "assistant" || second[1].Text != "let me look" || len(second[1].Calls) != 2 ||
			second[2].CallID != "c1" || second[3].CallID != "c2" {
			t.Errorf("second request: got %+v", second)
		}
		if len(server.Requests()[0].Tools) != 2 {
			t.Errorf("tools: got %+v", server.Requests()[0].Tools)
		}
	})
}

func TestEventsAreJSON(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("c1", "one", `{"a":`)), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Providers = tools(echo("one")) })
	if _, err := s.run(t, "go"); err != nil {
		t.Fatal(err)
	}
	for _, e := range s.events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Errorf("%T: %v", e, err)
		}
		if c, ok := e.(agent.ToolCallEvent); ok && string(data) != `{"id":"c1","name":"one","arguments":"{\"a\":","turn":1}` {
			t.Errorf("%+v: got %s", c, data)
		}
	}
}

// reply is a transport that answers every request with this body, without a
// network, which tests with a clock of their own need.
type reply string

func (r reply) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(string(r))),
	}, nil
}
