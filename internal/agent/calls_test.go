package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func tool(name string, f agent.Handler) agent.Tool {
	return agent.Tool{Name: name, Description: name, Schema: objectSchema, Prepare: calls(f)}
}

func TestFaultyCalls(t *testing.T) {
	exit, timedOut := 3, true
	list := []agent.Tool{
		echo("load_skill"),
		tool("breaks", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			return agent.ToolResult{}, errors.New("no luck")
		}),
		tool("panics", func(context.Context, *agent.Invocation) (agent.ToolResult, error) { panic("oh\x00no") }),
		tool("empty", func(context.Context, *agent.Invocation) (agent.ToolResult, error) { return agent.ToolResult{}, nil }),
		tool("emptyfail", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			return agent.ToolResult{Failed: true}, nil
		}),
		tool("bytes", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			return agent.ToolResult{Text: "a\xffb", Truncated: true, Process: &agent.Process{ExitCode: exit, TimedOut: timedOut, Sandbox: "none"}}, nil
		}),
	}
	for _, test := range []struct{ name, arguments, want string }{
		{"load_skil", "{}", `Error: Requested function "load_skil" not found. Available: load_skill, breaks, panics, empty, emptyfail, bytes. Did you mean "load_skill"?`},
		{"zzzzzz", "{}", `Error: Requested function "zzzzzz" not found. Available: load_skill, breaks, panics, empty, emptyfail, bytes.`},
		{"", "{}", `Error: Requested function "" not found. Available: load_skill, breaks, panics, empty, emptyfail, bytes.`},
		{"bad name/世", "{}", `Error: Requested function "bad name/世" not found. Available: load_skill, breaks, panics, empty, emptyfail, bytes.`},
		{"load_skill", "", "load_skill{}"},
		{"load_skill", " null ", "load_skill{}"},
		{"load_skill", `{"a":1`, `Error: The arguments are not valid JSON at character 6: unexpected end of JSON input, near "{\"a\":1". Send one JSON object.`},
		{"load_skill", `{"世":x}`, `Error: The arguments are not valid JSON at character 6: invalid character 'x' looking for beginning of value, near "{\"世\":x}". Send one JSON object.`},
		{"load_skill", `{} {}`, `Error: The arguments are not valid JSON at character 4: invalid character '{' after top-level value, near "{} {}". Send one JSON object.`},
		{"load_skill", `[1]`, `Error: The arguments must be a JSON object, got an array.`},
		{"load_skill", `"x"`, `Error: The arguments must be a JSON object, got the string "x".`},
		{"load_skill", `7`, `Error: The arguments must be a JSON object, got the number 7.`},
		{"load_skill", `true`, `Error: The arguments must be a JSON object, got the boolean true.`},
		{"load_skill", `"{\"a\":1}"`, `load_skill{"a":1}`},
		{"breaks", "{}", "Error: Failed to execute tool 'breaks': no luck"},
		{"panics", "{}", "Error: Failed to execute tool 'panics': panic: oh\x00no"},
		{"empty", "{}", "Success: Function completed."},
		{"emptyfail", "{}", "Error: Function failed."},
		{"bytes", "{}", "a\uFFFDb"},
	} {
		t.Run(test.name+test.arguments, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				server := openaitest.New(t, openaitest.Do(call("c1", test.name, test.arguments)), openaitest.Text("ok"))
				s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Providers = tools(list...) })
				result, err := s.run(t, "go")
				if err != nil {
					t.Fatal(err)
				}
				if got := results(result); len(got) != 1 || got[0] != "c1="+test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				event := eventsOf[agent.ToolResultEvent](s)[0]
				ok := !strings.HasPrefix(test.want, "Error")
				if event.OK != ok || event.Output != test.want {
					t.Errorf("event: got %+v", event)
				}
				if test.name == "bytes" && (!event.Truncated || event.ExitCode != 3 || !event.TimedOut || event.Sandbox != "none") {
					t.Errorf("event: got %+v", event)
				}
			})
		})
	}
}

func TestNoTools(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("c1", "x", "{}")), openaitest.Text("ok"))
	result, err := start(t, server, nil).run(t, "go")
	if err != nil || results(result)[0] != `c1=Error: Requested function "x" not found. There are no functions.` {
		t.Errorf("got %q, %v", results(result), err)
	}
}

// TestParallel makes every call wait for all others, so that they can only end if they
// run concurrently.
func TestParallel(t *testing.T) {
	const n = 8 // as many as run at once
	var barrier sync.WaitGroup
	barrier.Add(n)
	var calls []openaitest.Call
	for i := range n {
		calls = append(calls, call(fmt.Sprint("id", i), "meet", fmt.Sprintf(`{"n":%d}`, i)))
	}
	server := openaitest.New(t, openaitest.Do(calls...), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Parallel = true
		c.Providers = tools(tool("meet", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			barrier.Done()
			barrier.Wait()
			inv.Emit(agent.WarningEvent{Message: inv.Call.ID})
			if inv.Index == 5 {
				panic("one of them")
			}
			return agent.ToolResult{Text: string(inv.Arguments)}, nil
		}))
	})
	result, err := s.run(t, "go")
	if err != nil {
		t.Fatal(err)
	}
	got, events := results(result), eventsOf[agent.ToolResultEvent](s)
	if len(got) != n || len(events) != n || len(eventsOf[agent.WarningEvent](s)) != n || result.ToolCalls != n {
		t.Fatalf("got %d results, %d events", len(got), len(events))
	}
	for i := range n {
		want := fmt.Sprintf(`id%d={"n":%d}`, i, i)
		if i == 5 {
			want = "id5=Error: Failed to execute tool 'meet': panic: one of them"
		}
		if got[i] != want || events[i].ID != fmt.Sprint("id", i) {
			t.Errorf("result %d: got %q, event of %s", i, got[i], events[i].ID)
		}
	}
}

func TestSequentialCalls(t *testing.T) {
	var running atomic.Int32
	var seen []int
	server := openaitest.New(t, openaitest.Do(call("a", "f", ""), call("b", "f", ""), call("c", "f", "")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(tool("f", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			if running.Add(1) != 1 {
				t.Error("two calls run at once")
			}
			defer running.Add(-1)
			seen = append(seen, len(inv.Messages))
			if inv.Count != 3 || inv.Turn != 1 || inv.Index != len(seen)-1 || inv.Session == nil || inv.Tool.Name != "f" {
				t.Errorf("invocation: got %+v", inv)
			}
			return agent.ToolResult{Text: "x"}, nil
		}))
	})
	if _, err := s.run(t, "go"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []int{2, 3, 4}) {
		t.Errorf("messages seen: got %v", seen)
	}
}

func TestMiddleware(t *testing.T) {
	var order []string
	trace := func(name string) agent.Middleware {
		return func(next agent.Handler) agent.Handler {
			return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
				order = append(order, name)
				r, err := next(ctx, inv)
				r.Text += "+" + name
				return r, err
			}
		}
	}
	change := func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			inv.Arguments = json.RawMessage(`{"changed":true}`)
			return next(ctx, inv)
		}
	}
	server := openaitest.New(t, openaitest.Do(call("a", "f", "")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(echo("f"))
		c.Middleware = []agent.Middleware{trace("outer"), trace("inner"), change}
	})
	result, err := s.run(t, "go")
	if err != nil || results(result)[0] != `a=f{"changed":true}+inner+outer` || !slices.Equal(order, []string{"outer", "inner"}) {
		t.Errorf("got %q in order %v, %v", results(result), order, err)
	}
}

func TestEnd(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		server := openaitest.New(t, openaitest.Reply{Text: "so far", Calls: []openaitest.Call{call("a", "f", ""), call("b", "stop", ""), call("c", "f", "")}})
		s := start(t, server, func(c *agent.Config) {
			c.Parallel = parallel
			c.Providers = tools(echo("f"), echo("stop"))
			c.Middleware = []agent.Middleware{func(next agent.Handler) agent.Handler {
				return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
					if inv.Tool.Name == "stop" {
						inv.Stop(errors.New("enough"))
					}
					return next(ctx, inv)
				}
			}}
		})
		result, err := s.run(t, "go")
		want := []string{"a=f{}", "b=stop{}", "c=Skipped: the run ended before this call."}
		if parallel {
			want[2] = "c=f{}"
		}
		if err == nil || result.Status != agent.Failed || result.Text != "so far" || !slices.Equal(results(result), want) {
			t.Errorf("parallel %v: got %+v, %v", parallel, result, err)
		}
	}
}

func TestDuration(t *testing.T) {
	now := time.Unix(0, 0)
	slow := tool("slow", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		now = now.Add(1234 * time.Millisecond)
		return agent.ToolResult{Text: "x"}, nil
	})
	server := openaitest.New(t, openaitest.Do(call("a", "slow", ""), call("b", "gone", "")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Now = func() time.Time { return now }; c.Providers = tools(slow) })
	if _, err := s.run(t, "go"); err != nil {
		t.Fatal(err)
	}
	if got := eventsOf[agent.ToolResultEvent](s); got[0].DurationMS != 1234 || got[1].DurationMS != 0 || got[0].Process != nil {
		t.Errorf("got %+v", got)
	}
}
