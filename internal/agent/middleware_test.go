package agent_test

import (
	"context"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestRunMiddleware checks that a middleware around a run can change its prompt and its
// result, and that the first is the outermost.
func TestRunMiddleware(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("theirs"))
	var log []string
	layer := func(name string) agent.RunMiddleware {
		return func(next agent.RunHandler) agent.RunHandler {
			return func(ctx context.Context, run *agent.RunRequest) (agent.Result, error) {
				log = append(log, name)
				run.Prompt += " " + name
				result, err := next(ctx, run)
				result.Text += " " + name
				return result, err
			}
		}
	}
	s := start(t, server, func(c *agent.Config) {
		c.RunMiddleware = []agent.RunMiddleware{layer("outer"), layer("inner")}
	})
	result, err := s.run(t, "go")
	if err != nil || result.Text != "theirs inner outer" {
		t.Errorf("got %+v, %v", result, err)
	}
	if got := strings.Join(log, ","); got != "outer,inner" {
		t.Errorf("got %s", got)
	}
	if sent := server.Requests()[0].Messages; sent[0].Text != "go outer inner" {
		t.Errorf("sent %+v", sent)
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
