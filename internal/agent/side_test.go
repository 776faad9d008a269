package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// Calls that run side by side look the same in every run: questions are asked
// in their order, tools that depend on earlier calls see them, and events stand
// where they would without.
func TestSideBySideInOrder(t *testing.T) {
	const calls = 12
	var reply openaitest.Reply
	for i := range calls {
		reply.Calls = append(reply.Calls,
			call(fmt.Sprint("r", i), "run", fmt.Sprintf(`{"n":%d}`, i)), call(fmt.Sprint("c", i), "count", ""))
	}
	once := func() (asked []string, told []agent.Event, got []string) {
		n := 0
		count := tool("count", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			n++
			inv.Emit(agent.NoteEvent{Message: inv.Call.ID})
			return agent.ToolResult{Text: fmt.Sprint(n)}, nil
		})
		count.Ordered = true
		run := tool("run", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			runtime.Gosched()
			return agent.ToolResult{Text: "ran"}, nil
		})
		s := start(t, openaitest.New(t, reply, openaitest.Say("done")), func(c *agent.Config) {
			c.Parallel, c.Providers = true, tools(run, count)
			c.Middleware = []agent.Middleware{agent.Approval(func(_ context.Context, inv *agent.Invocation) (agent.Decision, bool, error) {
				if inv.Tool.Name != "run" {
					return agent.Decision{}, false, nil
				}
				asked = append(asked, inv.Call.ID)
				return agent.Decision{Approved: inv.Index%4 == 0, By: "test"}, true, nil
			})}
		})
		result, err := s.run(t, "go")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.events {
			if r, ok := e.(agent.ToolResultEvent); ok {
				r.DurationMS = 0
				e = r
			}
			told = append(told, e)
		}
		return asked, told, results(result)
	}
	asked, told, got := once()
	for i := range calls {
		if asked[i] != fmt.Sprint("r", i) || got[2*i+1] != fmt.Sprintf("c%d=%d", i, i+1) {
			t.Fatalf("asked %v, got %q", asked, got)
		}
	}
	kinds := strings.Join(kindsOf(told), " ")
	if want := strings.TrimSpace(strings.Repeat("tool.approval tool.result note tool.result ", calls)); !strings.Contains(kinds, want) {
		t.Fatalf("events: %s", kinds)
	}
	for range 20 {
		if a, e, g := once(); !slices.Equal(a, asked) || !slices.Equal(g, got) || linesOf(t, e) != linesOf(t, told) {
			t.Fatalf("another run asked %v, told %v, got %q", a, kindsOf(e), g)
		}
	}
}

func kindsOf(events []agent.Event) (kinds []string) {
	for _, e := range events {
		kinds = append(kinds, e.EventType())
	}
	return kinds
}

func linesOf(t *testing.T, events []agent.Event) string {
	t.Helper()
	data, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
