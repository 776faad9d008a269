package agent_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestApproval(t *testing.T) {
	ran := map[string]bool{}
	f := guarded(tool("f", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
		ran[inv.Call.ID] = true
		return agent.ToolResult{Text: "ran"}, nil
	}), "free")
	approve := func(_ context.Context, inv *agent.Invocation) (agent.Decision, error) {
		switch inv.Call.ID {
		case "yes":
			return agent.Decision{Approved: true, By: "user"}, nil
		case "no":
			return agent.Decision{By: "policy", Reason: "not today."}, nil
		case "silent":
			return agent.Decision{By: "user"}, nil
		case "error":
			// Approved must not count together with an error.
			return agent.Decision{Approved: true, By: "terminal"}, errors.New("no terminal")
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
		c.Middleware = []agent.Middleware{approval(approve)}
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
	decided := []agent.ToolApproval{
		{ID: "yes", Decision: "approved", By: "user"},
		{ID: "no", Decision: "denied", By: "policy", Reason: "not today."},
		{ID: "silent", Decision: "denied", By: "user"},
		{ID: "error", Decision: "denied", By: "terminal", Reason: "the approval could not be asked for: no terminal"},
		{ID: "panic", Decision: "denied", By: "error", Reason: "the approval could not be asked for: panic: unknown call"},
	}
	events := eventsOf[agent.ToolApproval](s)
	for i, e := range events {
		if e.Tool != "f" || e.Action.Kind != agent.KindOther || string(e.Action.Arguments) != "{}" {
			t.Errorf("the event %d is about %s %+v", i, e.Tool, e.Action)
		}
		events[i].Tool, events[i].Action = "", agent.Summary{}
	}
	if !reflect.DeepEqual(events, decided) {
		t.Errorf("events: got %+v", events)
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
		handler := approval(func(ctx context.Context, _ *agent.Invocation) (agent.Decision, error) {
			if tt.ctx != asked {
				t.Error("asked after the run's end")
			}
			end(errors.New("enough"))
			return agent.Decision{Approved: true, By: "user"}, context.Cause(ctx)
		})(func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			t.Error("ran after the run's end")
			return agent.ToolResult{}, nil
		})
		f := guarded(echo("f"))
		result, err := handler(tt.ctx, &agent.Invocation{Tool: &f, Emit: func(e agent.Event) { event = e.(agent.ToolApproval) }})
		if err != nil || !result.Failed || result.Text != "Tool call invocation rejected. "+tt.want {
			t.Errorf("got %+v, %v", result, err)
		}
		if want := (agent.ToolApproval{Decision: "denied", By: "nobody", Reason: tt.want, Tool: event.Tool, Action: event.Action}); !reflect.DeepEqual(event, want) {
			t.Errorf("the event is %+v", event)
		}
	}
}
