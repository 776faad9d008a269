package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestLimitCalls checks that the call over the limit gets the reason as its result,
// that later calls are skipped, and that the model may give a final answer.
func TestLimitCalls(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		t.Run(fmt.Sprint("parallel ", parallel), func(t *testing.T) {
			server := openaitest.New(t,
				openaitest.Do(call("a", "f", ""), call("b", "gone", "")),
				openaitest.Do(call("c", "f", ""), call("d", "f", ""), call("e", "f", "")),
				openaitest.Text("this far"),
			)
			s := start(t, server, func(c *agent.Config) {
				c.Parallel, c.Providers = parallel, tools(echo("f"))
				c.Middleware = []agent.Middleware{agent.LimitCalls(3)}
			})
			result, err := s.run(t, "go")
			if !limited(err, agent.LimitToolCalls) || result.Status != agent.LimitHit || result.Limit != "tool_calls" || result.Text != "this far" || result.ToolCalls != 5 {
				t.Errorf("got %+v, %v", result, err)
			}
			got := results(result)
			if got[2] != "c=f{}" || got[3] != "d=Skipped: the limit of tool calls (3) is reached." || !strings.HasPrefix(got[4], "e=Skipped: ") {
				t.Errorf("results: got %q", got)
			}
			last := server.Requests()[2]
			if len(last.Tools) != 0 || !strings.Contains(last.Messages[len(last.Messages)-1].Text, "<context>\nThe limit of tool calls is reached") {
				t.Errorf("closing request: got %s", last.Body)
			}
		})
	}
}

// runCalls makes one call a turn, then the closing answer, and returns the
// results.
func runCalls(t *testing.T, most int, f agent.Tool, calls ...openaitest.Call) ([]string, agent.Result, error) {
	t.Helper()
	var replies []openaitest.Reply
	for _, c := range calls {
		replies = append(replies, openaitest.Do(c))
	}
	server := openaitest.New(t, append(replies, openaitest.Text("closing"))...)
	s := start(t, server, func(c *agent.Config) {
		c.Providers, c.Limits.Failures = tools(f, echo("other")), 100
		c.Middleware = []agent.Middleware{agent.LimitRepeats(most)}
	})
	result, err := s.run(t, "go")
	return results(result), result, err
}

func again(n int, c openaitest.Call) []openaitest.Call {
	var out []openaitest.Call
	for range n {
		out = append(out, c)
	}
	return out
}

// TestRepeats checks that the same call with the same result is reported the third time
// and ends the run the fifth time.
func TestRepeats(t *testing.T) {
	fails := tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{}, errors.New("no luck")
	})
	for name, f := range map[string]agent.Tool{"echo": echo("f"), "an error": fails} {
		t.Run(name, func(t *testing.T) {
			got, result, err := runCalls(t, 5, f, again(5, call("", "f", `{"a":1,"b":[2]}`))...)
			if !limited(err, agent.LimitRepeated) || result.Status != agent.LimitHit || result.Limit != "repeats" || result.Text != "closing" || len(got) != 5 {
				t.Fatalf("got %+v, %v", result, err)
			}
			if !strings.Contains(err.Error(), `: "f" was called with the same arguments and had the same result each time`) {
				t.Errorf("got %v", err)
			}
			for i, text := range got {
				note := fmt.Sprintf("Note: this call was made %d times", i+1)
				if noted := strings.Contains(text, note); noted != (i >= 2) {
					t.Errorf("result %d: got %q", i+1, text)
				}
			}
		})
	}
}

func TestNoRepeats(t *testing.T) {
	n := 0
	counts := tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		n++
		return agent.ToolResult{Text: fmt.Sprint(n)}, nil
	})
	one := call("", "f", `{"a":1}`)
	var changing []openaitest.Call
	for i := range 6 {
		changing = append(changing, call("", "f", fmt.Sprintf(`{"a":%d}`, i)))
	}
	// Four in a window of ten: the fifth comes after nine others.
	far := append(again(4, one), again(4, call("", "other", "{}"))...)
	far = append(append(far, changing[2:5]...), one)
	for name, test := range map[string]struct {
		tool  agent.Tool
		calls []openaitest.Call
	}{
		"other results":   {counts, again(6, one)},
		"other arguments": {echo("f"), changing},
		"far apart":       {echo("f"), far},
	} {
		t.Run(name, func(t *testing.T) {
			if got, result, err := runCalls(t, 5, test.tool, test.calls...); err != nil || result.Status != agent.Completed {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// TestRepeatsWithinALoop checks that a loop of several steps counts as a repetition, and
// that the order of JSON keys does not matter.
func TestRepeatsWithinALoop(t *testing.T) {
	a, b, other := call("", "f", `{"a":1,"b":2}`), call("", "f", ` {"b":2, "a":1} `), call("", "other", "{}")
	got, result, err := runCalls(t, 5, echo("f"), a, other, a, other, a, other, a, other, a)
	if !limited(err, agent.LimitRepeated) || len(got) != 9 {
		t.Errorf("got %+v, %v", result, err)
	}
	exact := tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "x"}, nil
	})
	if _, result, err := runCalls(t, 2, exact, a, b); !limited(err, agent.LimitRepeated) {
		t.Errorf("got %+v, %v", result, err)
	}
	if got, _, err := runCalls(t, 2, echo("f"), call("", "gone", "{"), call("", "gone", "{")); !limited(err, agent.LimitRepeated) {
		t.Errorf("unknown: got %q, %v", got, err)
	}
}

// TestRepeatsInParallel checks that equal calls within one turn do not count as
// repetitions of each other.
func TestRepeatsInParallel(t *testing.T) {
	for range 5 {
		server := openaitest.New(t, openaitest.Do(again(5, call("", "f", "{}"))...), openaitest.Do(call("", "f", "{}")), openaitest.Text("closing"))
		s := start(t, server, func(c *agent.Config) {
			c.Parallel, c.Providers = true, tools(echo("f"))
			c.Middleware = []agent.Middleware{agent.LimitRepeats(5)}
		})
		result, err := s.run(t, "go")
		got := results(result)
		if !limited(err, agent.LimitRepeated) || len(got) != 6 || !strings.Contains(got[5], "made 6 times") {
			t.Fatalf("got %q, %v", got, err)
		}
		for _, text := range got[:5] {
			if strings.Contains(text, "Note:") {
				t.Errorf("got %q", text)
			}
		}
	}
}

// TestRepeatsOfTwoRuns checks that every run of an agent counts repetitions separately.
func TestRepeatsOfTwoRuns(t *testing.T) {
	one := openaitest.Do(call("", "f", "{}"))
	server := openaitest.New(t, one, one, openaitest.Text("ok"), one, one, openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(echo("f"))
		c.Middleware = []agent.Middleware{agent.LimitRepeats(3), agent.LimitCalls(2)}
	})
	for range 2 {
		if result, err := s.run(t, "go"); err != nil || result.Text != "ok" {
			t.Errorf("got %+v, %v", result, err)
		}
	}
}
