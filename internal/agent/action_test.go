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

// counted is an action that says which of a call's preparations made it.
type counted struct {
	number  int
	summary agent.Summary
	ran     *[]int
}

func (c *counted) Summary() agent.Summary    { return c.summary }
func (c *counted) Approval() *agent.Approval { return &agent.Approval{Action: c.summary} }
func (c *counted) Run(context.Context) (agent.ToolResult, error) {
	*c.ran = append(*c.ran, c.number)
	return agent.ToolResult{Text: c.summary.Line}, nil
}

// TestPrepareOnce checks that a call is prepared once, however many middlewares and
// approvals look at it, and once more if its arguments were changed; and that what runs
// is the action that was approved.
func TestPrepareOnce(t *testing.T) {
	for _, test := range []struct {
		name     string
		change   string // arguments that a middleware sets outside of the approval
		prepared []string
	}{
		{"unchanged", "", []string{`{"n":1}`}},
		{"set to the same", `{"n":1}`, []string{`{"n":1}`}},
		{"changed", `{"n":2}`, []string{`{"n":1}`, `{"n":2}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var prepared, looked []string
			var ran []int
			var approved []*agent.Approval
			f := agent.Tool{Name: "f", Schema: objectSchema, Prepare: func(_ context.Context, inv *agent.Invocation) (agent.Action, error) {
				prepared = append(prepared, string(inv.Arguments))
				line := fmt.Sprintf("%d %s", len(prepared), inv.Arguments)
				return &counted{len(prepared), agent.Summary{Kind: agent.KindTool, Owner: "o", Name: "n", Line: line, Arguments: slices.Clone(inv.Arguments)}, &ran}, nil
			}}
			look := around(func(inv *agent.Invocation) { looked = append(looked, inv.Summary(t.Context()).Line) })
			approve := agent.RequireApproval(func(_ context.Context, _ *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
				approved = append(approved, a)
				return agent.Decision{Approved: true, By: "user"}, nil
			})
			s := start(t, openaitest.New(t, openaitest.Do(call("a", "f", `{"n":1}`)), openaitest.Text("ok")), func(c *agent.Config) {
				c.Providers = tools(f)
				c.Middleware = []agent.Middleware{look, around(func(inv *agent.Invocation) {
					if test.change != "" {
						inv.Arguments = json.RawMessage(test.change)
					}
				}), look, approve, look, approve, look}
			})
			result, err := s.run(t, "go")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(prepared, test.prepared) {
				t.Errorf("prepared %q, want %q", prepared, test.prepared)
			}
			last := fmt.Sprintf("%d %s", len(test.prepared), test.prepared[len(test.prepared)-1])
			if want := []string{`1 {"n":1}`, last, last, last}; !slices.Equal(looked, want) {
				t.Errorf("middlewares saw %q, want %q", looked, want)
			}
			if len(approved) != 2 || approved[0].Action.Line != last || approved[1].Action.Line != last {
				t.Errorf("approved %+v, want twice %q", approved, last)
			}
			if got := results(result); !slices.Equal(ran, []int{len(test.prepared)}) || !slices.Equal(got, []string{"a=" + last}) {
				t.Errorf("ran %v with %q, want %q", ran, got, last)
			}
			for _, e := range eventsOf[agent.ToolApproval](s) {
				if e.Tool != "f" || e.Action.Line != last {
					t.Errorf("the decision is about %s %+v", e.Tool, e.Action)
				}
			}
			if got := eventsOf[agent.ActionEvent](s); len(got) != 1 || got[0].ID != "a" || got[0].Action.Line != `1 {"n":1}` {
				t.Errorf("announced %+v", got)
			}
			got := eventsOf[agent.ToolResultEvent](s)
			data, err := json.Marshal(got[0])
			if err != nil || !strings.Contains(string(data), `"action":{"kind":"tool","owner":"o","name":"n"}`) {
				t.Errorf("the result is %s, %v", data, err)
			}
		})
	}
}

// TestPrepareFails checks that a call that cannot be prepared is not decided on, that it
// is not prepared again, and that its result is the reason.
func TestPrepareFails(t *testing.T) {
	for name, fail := range map[string]func() error{
		"an error": func() error { return errors.New("no luck") },
		"a panic":  func() error { panic("no luck") },
	} {
		t.Run(name, func(t *testing.T) {
			prepared := 0
			f := agent.Tool{Name: "f", Schema: objectSchema, Prepare: func(context.Context, *agent.Invocation) (agent.Action, error) {
				prepared++
				return nil, fail()
			}}
			s := start(t, openaitest.New(t, openaitest.Do(call("a", "f", `{"n":1}`)), openaitest.Text("ok")), func(c *agent.Config) {
				c.Providers = tools(f)
				c.Middleware = []agent.Middleware{approval(func(context.Context, *agent.Invocation) (agent.Decision, error) {
					t.Error("somebody is asked")
					return agent.Decision{}, nil
				})}
			})
			result, err := s.run(t, "go")
			if err != nil {
				t.Fatal(err)
			}
			if got := results(result); prepared != 1 || len(got) != 1 || !strings.HasPrefix(got[0], "a=Error: Failed to execute tool 'f': ") || !strings.HasSuffix(got[0], "no luck") {
				t.Errorf("prepared %d times, got %q", prepared, got)
			}
			got := eventsOf[agent.ActionEvent](s)
			if want := (agent.Summary{Kind: agent.KindOther, Line: "n=1"}); len(got) != 1 || got[0].Action.Kind != want.Kind || got[0].Action.Line != want.Line {
				t.Errorf("announced %+v, want %+v", got, want)
			}
		})
	}
}

// TestDescribeArguments checks the short form of arguments.
func TestDescribeArguments(t *testing.T) {
	for arguments, want := range map[string]string{`{"z":[1, 2],"a":"x y"}`: "a=x y z=[1, 2]", `"no object"`: `"no object"`, "": "", `{}`: ""} {
		if got := agent.DescribeArguments([]byte(arguments)); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
}
