package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestApproval(t *testing.T) {
	ran := map[string]bool{}
	f := tool("f", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
		ran[inv.Call.ID] = true
		return agent.ToolResult{Text: "ran"}, nil
	})
	approve := func(_ context.Context, inv *agent.Invocation) (agent.Decision, bool, error) {
		switch inv.Call.ID {
		case "free":
			return agent.Decision{}, false, nil
		case "yes":
			return agent.Decision{Approved: true, By: "user"}, true, nil
		case "no":
			return agent.Decision{By: "policy", Reason: "not today."}, true, nil
		case "silent":
			return agent.Decision{By: "user"}, true, nil
		case "error":
			// Approved must not count together with an error.
			return agent.Decision{Approved: true, By: "terminal"}, false, errors.New("no terminal")
		}
		panic("unknown call")
	}
	ids := []string{"free", "yes", "no", "silent", "error", "panic"}
	var calls []openaitest.Call
	for _, id := range ids {
		calls = append(calls, call(id, "f", "{}"))
	}
	server := openaitest.New(t, openaitest.Do(calls...), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(f)
		c.Middleware = []agent.Middleware{agent.Approval(approve)}
	})
	result, err := s.run(t, "go")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"free=ran", "yes=ran", "no=Tool call invocation rejected. not today.", "silent=Tool call invocation rejected.",
		"error=Tool call invocation rejected. the approval could not be asked for: no terminal",
		"panic=Tool call invocation rejected. the approval could not be asked for: panic: unknown call",
	}
	if got := results(result); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(ran) != 2 || !ran["free"] || !ran["yes"] {
		t.Errorf("ran: %v", ran)
	}
	events := []agent.ToolApproval{
		{ID: "yes", Decision: "approved", By: "user"},
		{ID: "no", Decision: "denied", By: "policy", Reason: "not today."},
		{ID: "silent", Decision: "denied", By: "user"},
		{ID: "error", Decision: "denied", By: "terminal", Reason: "the approval could not be asked for: no terminal"},
		{ID: "panic", Decision: "denied", By: "error", Reason: "the approval could not be asked for: panic: unknown call"},
	}
	if got := eventsOf[agent.ToolApproval](s); !slices.Equal(got, events) {
		t.Errorf("events: got %+v", got)
	}
	for _, e := range eventsOf[agent.ToolResultEvent](s) {
		if e.OK != ran[e.ID] {
			t.Errorf("result: got %+v", e)
		}
	}
}

// TestApprovalAtTheEnd checks that a call without a decision at the end of the run is
// not run, and is not reported as denied by anyone.
func TestApprovalAtTheEnd(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	asked, end := context.WithCancelCause(t.Context())
	defer end(nil)
	for _, tt := range []struct {
		ctx  context.Context
		want string
	}{
		{stopped, "interrupted before you answered"},
		{late, "the run reached its time limit before you answered"},
		{asked, "interrupted before you answered"},
	} {
		var event agent.ToolApproval
		handler := agent.Approval(func(ctx context.Context, _ *agent.Invocation) (agent.Decision, bool, error) {
			if tt.ctx != asked {
				t.Error("asked after the run's end")
			}
			end(errors.New("enough"))
			return agent.Decision{Approved: true, By: "user"}, true, context.Cause(ctx)
		})(func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			t.Error("ran after the run's end")
			return agent.ToolResult{}, nil
		})
		result, err := handler(tt.ctx, &agent.Invocation{Tool: &agent.Tool{Name: "f"}, Emit: func(e agent.Event) { event = e.(agent.ToolApproval) }})
		if err != nil || !result.Failed || result.Text != "Tool call invocation rejected. "+tt.want {
			t.Errorf("got %+v, %v", result, err)
		}
		if event != (agent.ToolApproval{Decision: "denied", By: "nobody", Reason: tt.want}) {
			t.Errorf("the event is %+v", event)
		}
	}
}
