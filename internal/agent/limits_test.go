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

// limited reports whether an error is that of a limit.
func limited(err error, name string) bool {
	var limit *agent.LimitError
	return errors.As(err, &limit) && limit.Limit == name
}

var breaks = tool("breaks", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
	return agent.ToolResult{}, fmt.Errorf("no luck %d", inv.Turn)
})

// TestFailures checks which turns count as failed: only those in which no call could be
// run. Exit codes of scripts and denials do not count.
func TestFailures(t *testing.T) {
	exit := tool("exit", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "exit code 1", Failed: true, Process: &agent.Process{ExitCode: 1}}, nil
	})
	unstarted := tool("unstarted", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "Error: cannot be started", Failed: true, Broken: true}, nil
	})
	typed := agent.NewTool("typed", "", objectSchema, func(_ context.Context, inv *agent.Invocation, _ struct {
		N int `json:"n"`
	}) (agent.Action, error) {
		return agent.Answer(inv.Describe(), agent.ToolResult{Text: "fine"}), nil
	})
	fails, bad := call("", "breaks", "{}"), call("", "echo", "{")
	for _, test := range []struct {
		name  string
		limit int
		turns []openaitest.Reply
		want  string // how the error begins, "" for an answer
	}{
		{"four", 3, []openaitest.Reply{openaitest.Do(fails), openaitest.Do(fails), openaitest.Do(fails), openaitest.Do(fails)},
			"no tool call could be run in 4 consecutive turns; the last: Failed to execute tool 'breaks': no luck 4"},
		{"three", 3, []openaitest.Reply{openaitest.Do(fails), openaitest.Do(fails), openaitest.Do(fails)}, ""},
		{"a success resets", 1, []openaitest.Reply{openaitest.Do(fails), openaitest.Do(call("", "echo", "")), openaitest.Do(fails)}, ""},
		{"a success beside it", 1, []openaitest.Reply{openaitest.Do(fails), openaitest.Do(fails, call("", "echo", "")), openaitest.Do(fails)}, ""},
		{"an exit code resets", 1, []openaitest.Reply{openaitest.Do(fails), openaitest.Do(call("", "exit", "")), openaitest.Do(fails)}, ""},
		{"none allowed", 0, []openaitest.Reply{openaitest.Do(fails)}, "no tool call could be run: Failed to execute tool 'breaks': no luck 1"},
		{"arguments", 0, []openaitest.Reply{openaitest.Do(bad)}, "no tool call could be run: The arguments are not valid JSON"},
		{"types", 0, []openaitest.Reply{openaitest.Do(call("", "typed", `{"n":"x"}`))}, "no tool call could be run: Parameter"},
		{"not started", 0, []openaitest.Reply{openaitest.Do(call("", "unstarted", ""))}, "no tool call could be run: cannot be started"},
		{"note of repeats", 2, []openaitest.Reply{openaitest.Do(bad), openaitest.Do(bad), openaitest.Do(bad)},
			`no tool call could be run in 3 consecutive turns; the last: The arguments are not valid JSON at character 1: unexpected end of JSON input, near "{". Send one JSON object.`},
		{"all of several", 0, []openaitest.Reply{openaitest.Do(bad, fails)}, "no tool call could be run: Failed to execute tool 'breaks'"},
		{"unknown tools", 1, []openaitest.Reply{openaitest.Do(call("", "nothing", "{")), openaitest.Do(call("", "nothing", ""))},
			`no tool call could be run in 2 consecutive turns; the last: Requested function "nothing" not found.`},
		{"denied between", 1, []openaitest.Reply{openaitest.Do(fails), openaitest.Do(call("", "denied", "")), openaitest.Do(fails)},
			"no tool call could be run in 2 consecutive turns"},
		{"denied", 0, []openaitest.Reply{openaitest.Do(call("", "denied", "")), openaitest.Do(call("", "denied", ""))}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			turns := test.turns
			if test.want == "" {
				turns = append(turns, openaitest.Text("ok"))
			}
			server := openaitest.New(t, turns...)
			s := start(t, server, func(c *agent.Config) {
				c.Limits.Failures = test.limit
				c.Providers = tools(breaks, echo("echo"), exit, unstarted, typed, guarded(echo("denied")))
				c.Middleware = []agent.Middleware{agent.LimitRepeats(5), approval(func(context.Context, *agent.Invocation) (agent.Decision, error) {
					return agent.Decision{}, nil
				})}
			})
			result, err := s.run(t, "go")
			if test.want == "" {
				if err != nil || result.Status != agent.Completed || result.Text != "ok" {
					t.Errorf("got %+v, %v", result, err)
				}
				return
			}
			var failures *agent.FailuresError
			if !errors.As(err, &failures) || result.Status != agent.Failed || result.Limit != "" || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "Note:") {
				t.Errorf("got %s, %v", result.Status, err)
			}
			if got := results(result); len(got) != result.ToolCalls {
				t.Errorf("%d calls have %d results", result.ToolCalls, len(got))
			}
		})
	}
}

// TestClosing checks that the closing request is reported, and that only its answer
// counts.
func TestClosing(t *testing.T) {
	for _, test := range []struct {
		name    string
		closing openaitest.Reply
		text    string
		warning string
	}{
		{"answer", openaitest.Text("this far"), "this far", ""},
		{"empty", openaitest.Text(" \n"), "", "no closing answer"},
		{"empty and cut", openaitest.Reply{Finish: "length"}, "", "no closing answer: the server's limit on its length"},
		{"calls only", openaitest.Do(call("x", "f", "")), "", "called 1 tool in its closing answer; none was run\n"},
		{"refused", openaitest.Reply{Status: 400, Text: "no"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, openaitest.Reply{Text: "let me look", Calls: []openaitest.Call{call("a", "f", "")}}, test.closing)
			s := start(t, server, func(c *agent.Config) { c.Limits.Turns = 1; c.Providers = tools(echo("f")) })
			result, err := s.run(t, "go")
			if !limited(err, agent.LimitTurns) || result.Status != agent.LimitHit || result.Limit != "turns" || result.Text != test.text {
				t.Errorf("got %+v, %v", result, err)
			}
			messages := eventsOf[agent.MessageEvent](s)
			last := messages[2] // after the prompt and "let me look"
			sent := server.Requests()[1].Messages
			if last.Role != agent.User || last.Source != agent.FromContext || sent[len(sent)-1].Text != "f{}"+inContext(last.Text) {
				t.Errorf("emitted %+v, sent %q", last, sent[len(sent)-1].Text)
			}
			warned := ""
			for _, w := range eventsOf[agent.WarningEvent](s) {
				warned += w.Message + "\n"
			}
			if !strings.Contains(warned, test.warning) || test.warning == "" && warned != "" {
				t.Errorf("warnings: got %q", warned)
			}
		})
	}
}

func TestLimitErrors(t *testing.T) {
	for _, test := range []struct {
		err  agent.LimitError
		want string
	}{
		{agent.LimitError{Limit: agent.LimitTurns, Max: 40}, "turn limit reached (40)"},
		{agent.LimitError{Limit: agent.LimitTokens, Max: 10, Used: 12}, "token limit reached (12 of 10)"},
		{agent.LimitError{Limit: agent.LimitTokens, Max: 10, Used: 12, Estimated: true}, "token limit reached (about 12 of 10)"},
		{agent.LimitError{Limit: agent.LimitCost, Value: "0.51 of 0.50"}, "cost limit reached (0.51 of 0.50)"},
		{agent.LimitError{Limit: agent.LimitTime, Value: "9m of 10m", Nearly: true}, "time limit nearly reached (9m of 10m)"},
		{agent.LimitError{Limit: agent.LimitToolCalls, Max: 3}, "tool call limit reached (3)"},
		{agent.LimitError{Limit: agent.LimitRepeated, Max: 5, What: "f was called"}, "repeated call limit reached (5): f was called"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestTokensEstimated checks that the limit applies to an estimate if the server does
// not count tokens.
func TestTokensEstimated(t *testing.T) {
	known := &openaitest.Usage{Input: 5, Output: 5}
	long := strings.Repeat("a word ", 100)
	server := openaitest.New(t,
		openaitest.Reply{Calls: []openaitest.Call{call("a", "f", "")}, Usage: known},
		openaitest.Reply{Text: long, Calls: []openaitest.Call{call("b", "f", "")}},
		openaitest.Text("this far"),
	)
	s := start(t, server, func(c *agent.Config) { c.Limits.Tokens = 600; c.Instructions = long; c.Providers = tools(echo("f")) })
	result, err := s.run(t, "go")
	var limit *agent.LimitError
	if !errors.As(err, &limit) || limit.Limit != agent.LimitTokens || !limit.Estimated || !limit.Nearly || result.Limit != "tokens" || result.Text != "this far" {
		t.Errorf("got %+v, %v", result, err)
	}
	if !strings.HasPrefix(err.Error(), "token limit nearly reached (about 4") {
		t.Errorf("got %v", err)
	}
	if result.Turns != 3 || *result.Usage != (agent.Usage{InputTokens: 5, OutputTokens: 5}) {
		t.Errorf("got %d turns, %v", result.Turns, result.Usage)
	}
	if warnings := eventsOf[agent.WarningEvent](s); len(warnings) != 1 || !strings.Contains(warnings[0].Message, "estimating it") {
		t.Errorf("warnings: %+v", warnings)
	}
	// Without a limit no estimate is needed.
	server = openaitest.New(t, openaitest.Text("ok"))
	s = start(t, server, nil)
	if _, err := s.run(t, "go"); err != nil || len(eventsOf[agent.WarningEvent](s)) != 0 {
		t.Errorf("got %v, %v", s.kinds(), err)
	}
}

// TestCut checks that a truncated answer is reported, and a complete one after it is
// not.
func TestCut(t *testing.T) {
	for _, finish := range []string{"length", "content_filter"} {
		server := openaitest.New(t, openaitest.Reply{Text: "part", Finish: finish})
		result, err := start(t, server, nil).run(t, "go")
		if err != nil || result.Status != agent.Completed || result.Text != "part" || result.Cut != finish {
			t.Errorf("got %+v, %v", result, err)
		}
	}
	server := openaitest.New(t, openaitest.Reply{Finish: "length"}, openaitest.Text("whole"))
	if result, err := start(t, server, nil).run(t, "go"); err != nil || result.Text != "whole" || result.Cut != "" {
		t.Errorf("got %+v, %v", result, err)
	}
}
