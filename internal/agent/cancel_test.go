package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestCancelInTool checks that a run cancelled while a tool runs has one result for
// that call and for each call after it, and that the providers are notified with a
// context that is not cancelled.
func TestCancelInTool(t *testing.T) {
	for _, test := range []struct {
		name     string
		parallel bool
		end      func(context.Context) (context.Context, context.CancelFunc)
		status   agent.Status
		err      error
	}{
		{"cancelled", false, context.WithCancel, agent.Interrupted, context.Canceled},
		{"cancelled while concurrent", true, context.WithCancel, agent.Interrupted, context.Canceled},
		{"deadline", false, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, agent.LimitHit, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, openaitest.Do(call("a", "block", ""), call("b", "block", ""), call("c", "f", "")))
			ctx, cancel := test.end(t.Context())
			defer cancel()
			invoked := 0
			s := start(t, server, func(c *agent.Config) {
				c.Parallel = test.parallel
				c.Providers = append(tools(echo("f"), tool("block", func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
					if test.status == agent.Interrupted {
						cancel()
					}
					<-ctx.Done()
					return agent.ToolResult{}, ctx.Err()
				})), &provider{name: "watch", invoked: func(ctx context.Context, run *agent.Invoked) error {
					invoked++
					if ctx.Err() != nil || !errors.Is(run.Err, test.err) || len(run.Response) != 4 {
						t.Errorf("invoked: got %+v, context %v", run, ctx.Err())
					}
					return nil
				}})
			})
			result, err := s.agent.Run(ctx, nil, "go")
			if result.Status != test.status || !errors.Is(err, test.err) || invoked != 1 {
				t.Errorf("got %s, %v, invoked %d times", result.Status, err, invoked)
			}
			got := results(result)
			if len(got) != 3 || got[0] != "a=Error: Failed to execute tool 'block': the run was stopped." || len(eventsOf[agent.ToolResultEvent](s)) != 3 {
				t.Errorf("results: got %q", got)
			}
			if !test.parallel && got[1] != "b=Skipped: the run was stopped." {
				t.Errorf("results: got %q", got)
			}
		})
	}
}

func TestCancelDuringRequest(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		gate := make(chan struct{})
		defer close(gate)
		server := openaitest.Start(openaitest.Reply{Text: "never", Gate: gate})
		defer server.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream })
		go func() { <-server.Arrived(); cancel(errors.New("a signal")) }()
		result, err := s.agent.Run(ctx, nil, "go")
		if result.Status != agent.Interrupted || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "a signal") {
			t.Errorf("got %+v, %v", result, err)
		}
		if len(result.Messages) != 1 || len(eventsOf[agent.RetryEvent](s)) != 0 {
			t.Errorf("got %+v", result)
		}
	})
}

func TestCancelWithinStream(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	server := openaitest.Start(openaitest.Reply{Text: "one two", Pacing: openaitest.Pacing{Hold: hold}})
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := start(t, server, func(c *agent.Config) {
		c.Stream = true
		note := c.Events
		c.Events = func(e agent.Event) {
			note(e)
			if e.EventType() == "message.delta" {
				cancel()
			}
		}
	})
	result, err := s.agent.Run(ctx, nil, "go")
	if result.Status != agent.Interrupted || !errors.Is(err, context.Canceled) || result.Text != "" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server := openaitest.New(t)
	for _, providers := range [][]agent.ContextProvider{nil, tools()} {
		s := start(t, server, func(c *agent.Config) { c.Providers = providers })
		if result, err := s.agent.Run(ctx, nil, "go"); result.Status != agent.Interrupted || !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v, %v", result, err)
		}
	}
}
