package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// around is a middleware that looks at a call, or changes it, before it is run.
func around(before func(*agent.Invocation)) agent.Middleware {
	return func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			before(inv)
			return next(ctx, inv)
		}
	}
}

// TestStop checks that the status of a run ended by a middleware depends on the reason.
func TestStop(t *testing.T) {
	limit := &agent.LimitError{Limit: agent.LimitToolCalls, Max: 1}
	for _, test := range []struct {
		name   string
		text   string // next to the calls
		stop   func(*agent.Invocation)
		status agent.Status
		limit  string
		want   string // the error
		answer string
	}{
		{"for a reason", "all done", func(inv *agent.Invocation) { inv.Stop(errors.New("the budget is spent")) }, agent.Failed, "",
			"the run was stopped at the call to stop: the budget is spent", "all done"},
		{"for two", "", func(inv *agent.Invocation) { inv.Stop(errors.New("first")); inv.Stop(errors.New("second")) }, agent.Failed, "",
			"the run was stopped at the call to stop: first", ""},
		{"at a limit", "not yet", func(inv *agent.Invocation) { inv.Stop(fmt.Errorf("by rule: %w", limit)) }, agent.LimitHit, "tool_calls",
			"tool call limit reached (1)", "closing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			replies := []openaitest.Reply{{Text: test.text, Calls: []openaitest.Call{call("a", "f", ""), call("b", "stop", ""), call("c", "f", "")}}}
			if test.limit != "" {
				replies = append(replies, openaitest.Text("closing"))
			}
			server := openaitest.New(t, replies...)
			s := start(t, server, func(c *agent.Config) {
				c.Providers = tools(echo("f"), echo("stop"))
				c.Middleware = []agent.Middleware{around(func(inv *agent.Invocation) {
					if inv.Tool.Name == "stop" {
						test.stop(inv)
					}
				})}
			})
			result, err := s.run(t, "go")
			if result.Status != test.status || result.Limit != test.limit || result.Text != test.answer {
				t.Errorf("got %+v", result)
			}
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v", err)
			}
			if got, want := results(result), []string{"a=f{}", "b=stop{}", "c=Skipped: the run ended before this call."}; !slices.Equal(got, want) {
				t.Errorf("results: got %q", got)
			}
		})
	}
}

// TestFaultsReachMiddlewares checks that invalid calls pass through the middleware too.
func TestFaultsReachMiddlewares(t *testing.T) {
	type saw struct{ name, fault string }
	var got []saw
	server := openaitest.New(t, openaitest.Do(call("a", "gone", `{"x":1}`), call("b", "f", `{"x"`), call("c", "f", `{}`)), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(guarded(echo("f")))
		c.Middleware = []agent.Middleware{around(func(inv *agent.Invocation) {
			if (inv.Tool == nil) != (inv.Fault != "") {
				t.Errorf("tool %v with the fault %q", inv.Tool, inv.Fault)
			}
			got = append(got, saw{inv.Call.Name, inv.Fault})
		}), approval(func(_ context.Context, inv *agent.Invocation) (agent.Decision, error) {
			if inv.Call.ID != "c" {
				t.Errorf("asked about %+v", inv.Call)
			}
			return agent.Decision{Approved: true}, nil
		})}
	})
	result, err := s.run(t, "go")
	if err != nil {
		t.Fatal(err)
	}
	texts := results(result)
	if len(got) != 3 || "a=Error: "+got[0].fault != texts[0] || "b=Error: "+got[1].fault != texts[1] || got[2] != (saw{"f", ""}) {
		t.Errorf("saw %q, results %q", got, texts)
	}
}

// TestMiddlewareCorrectsAndMislabels checks that a middleware may correct a call, and that
// the result belongs to the model's call whatever the middleware writes into its copy.
func TestMiddlewareCorrectsAndMislabels(t *testing.T) {
	other := echo("g")
	server := openaitest.New(t, openaitest.Do(call("a", "gone", ""), call("b", "f", "")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(echo("f"))
		c.Middleware = []agent.Middleware{around(func(inv *agent.Invocation) {
			if inv.Tool == nil {
				inv.Tool, inv.Arguments = &other, json.RawMessage(`{"repaired":true}`)
			}
			inv.Call = agent.ToolCall{ID: "mine", Name: "mine"}
		})}
	})
	result, err := s.run(t, "go")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := results(result), []string{`a=g{"repaired":true}`, "b=f{}"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for i, e := range eventsOf[agent.ToolResultEvent](s) {
		if want := []string{"a gone", "b f"}[i]; e.ID+" "+e.Name != want {
			t.Errorf("event %d: got %s %s", i, e.ID, e.Name)
		}
	}
}

// TestApprovalIsBoundToArguments checks that an approval covers only the arguments it was
// given for: a call that changes afterwards is not run.
func TestApprovalIsBoundToArguments(t *testing.T) {
	for _, needed := range []bool{true, false} {
		t.Run(fmt.Sprint("needed ", needed), func(t *testing.T) {
			approve := func(context.Context, *agent.Invocation) (agent.Decision, error) {
				if !needed {
					t.Error("asked about a call that needs no decision")
				}
				return agent.Decision{Approved: true, By: "user"}, nil
			}
			f := echo("f")
			if needed {
				f = guarded(f)
			}
			g := tool("g", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
				t.Error("what nobody decided on was run")
				return agent.ToolResult{}, nil
			})
			server := openaitest.New(t, openaitest.Do(
				call("same", "f", `{"a":1}`), call("new", "f", `{"a":2}`), call("place", "f", `{"a":3}`), call("tool", "f", `{"a":4}`), call("repaired", "gone", `{}`),
			), openaitest.Text("ok"))
			s := start(t, server, func(c *agent.Config) {
				c.Providers = tools(f, g)
				c.Middleware = []agent.Middleware{approval(approve), around(func(inv *agent.Invocation) {
					switch inv.Call.ID {
					case "same":
						inv.Arguments = json.RawMessage(`{"a":1}`)
					case "new":
						inv.Arguments = json.RawMessage(`{"a":9}`)
					case "place":
						inv.Arguments[5] = '9'
					case "tool", "repaired":
						inv.Tool = &g
					}
				}), approval(approve)}
			})
			result, err := s.run(t, "go")
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range results(result) {
				if i == 0 {
					if text != `same=f{"a":1}` {
						t.Errorf("got %q", text)
					}
				} else if !strings.HasSuffix(text, "=Tool call invocation rejected. Its arguments were changed after the decision.") {
					t.Errorf("got %q", text)
				}
			}
			denied := 0
			for _, e := range eventsOf[agent.ToolApproval](s) {
				if e.Decision == "denied" && e.By == "agent" {
					denied++
				}
			}
			if denied != 4 {
				t.Errorf("%d denials are reported", denied)
			}
		})
	}
}
