package agent_test

import (
	"context"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// TestMiddlewares checks middleware around a run and around each request, and that a tool
// finds its call in the context.
func TestMiddlewares(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("a", "f", `{"x":1}`)), openaitest.Text("theirs"))
	var log []string
	layer := func(name string) (agent.RunMiddleware, agent.RequestMiddleware) {
		return func(next agent.RunHandler) agent.RunHandler {
				return func(ctx context.Context, run *agent.RunRequest) (agent.Result, error) {
					log = append(log, name+" run")
					run.Prompt += " " + name
					result, err := next(ctx, run)
					result.Text += " " + name
					return result, err
				}
			}, func(next agent.RequestHandler) agent.RequestHandler {
				return func(ctx context.Context, call *agent.ModelCall) (agent.Reply, error) {
					log = append(log, name+" request")
					call.Request.Instructions += name
					reply, err := next(ctx, call)
					reply.Text = strings.ReplaceAll(reply.Text, "theirs", "ours "+name)
					return reply, err
				}
			}
	}
	var found *agent.Invocation
	tool := agent.Tool{Name: "f", Description: "f", Call: func(ctx context.Context, _ *agent.Invocation) (agent.ToolResult, error) {
		found = agent.InvocationFrom(ctx)
		return agent.ToolResult{Text: "done"}, nil
	}}
	s := start(t, server, func(c *agent.Config) {
		c.Model, c.Providers = "m1", tools(tool)
		for _, name := range []string{"outer", "inner"} {
			run, request := layer(name)
			c.RunMiddleware, c.RequestMiddleware = append(c.RunMiddleware, run), append(c.RequestMiddleware, request)
		}
	})
	result, err := s.run(t, "go")
	if err != nil || result.Text != "ours inner inner outer" {
		t.Errorf("got %+v, %v", result, err)
	}
	want := "outer run,inner run,outer request,inner request,outer request,inner request"
	if got := strings.Join(log, ","); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	first := server.Requests()[0]
	if first.Messages[0].Text != "outerinner" || first.Messages[1].Text != "go outer inner" {
		t.Errorf("sent %+v", first.Messages)
	}
	if found == nil || found.Agent == nil || found.Model != "m1" || found.Streaming || found.Turn != 1 || string(found.Arguments) != `{"x":1}` || len(found.Messages) != 2 {
		t.Errorf("the tool found %+v", found)
	}
	if agent.InvocationFrom(t.Context()) != nil {
		t.Error("there is a call outside of a run")
	}
}

// TestRequestAnswered checks that a request middleware can answer instead of the model.
func TestRequestAnswered(t *testing.T) {
	server := openaitest.New(t)
	s := start(t, server, func(c *agent.Config) {
		c.RequestMiddleware = []agent.RequestMiddleware{func(agent.RequestHandler) agent.RequestHandler {
			return func(context.Context, *agent.ModelCall) (agent.Reply, error) { return agent.Reply{Text: "cached"}, nil }
		}}
	})
	if result, err := s.run(t, "go"); err != nil || result.Text != "cached" || result.Status != agent.Completed {
		t.Errorf("got %+v, %v", result, err)
	}
}

// TestEndError checks that an EndError completes the run with the text so far, wherever
// it comes from.
func TestEndError(t *testing.T) {
	stop := func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			if inv.Turn == 2 {
				inv.Stop(&agent.EndError{Reason: "enough"})
			}
			return next(ctx, inv)
		}
	}
	server := openaitest.New(t, openaitest.Reply{Text: "half way", Calls: []openaitest.Call{call("a", "f", "")}}, openaitest.Do(call("b", "f", ""), call("c", "f", "")))
	s := start(t, server, func(c *agent.Config) { c.Providers, c.Middleware = tools(echo("f")), []agent.Middleware{stop} })
	result, err := s.run(t, "go")
	if err != nil || result.Status != agent.Completed || result.Text != "half way" || result.Stopped != "enough" || result.ToolCalls != 3 {
		t.Errorf("got %+v, %v", result, err)
	}
	if got := results(result); len(got) != 3 || !strings.HasPrefix(got[2], "c=Skipped") {
		t.Errorf("got results %q", got)
	}
	server = openaitest.New(t)
	s = start(t, server, func(c *agent.Config) {
		c.Providers = []agent.ContextProvider{&provider{name: "p", invoking: func(*agent.Invoking) error { return &agent.EndError{Reason: "not today"} }}}
	})
	if result, err := s.run(t, "go"); err != nil || result.Status != agent.Completed || result.Stopped != "not today" {
		t.Errorf("got %+v, %v", result, err)
	}
}
