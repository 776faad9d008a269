package agent_test

import (
	"errors"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestTurnLimit(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t,
			openaitest.Do(call("a", "f", "")), openaitest.Do(call("b", "f", "")),
			openaitest.Reply{Text: "this far", Calls: []openaitest.Call{call("c", "f", "")}},
		)
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Limits.Turns = stream, !stream, 2
			c.Providers = tools(echo("f"))
		})
		result, err := s.run(t, "go")
		if result.Status != agent.LimitHit || !limited(err, agent.LimitTurns) || result.Text != "this far" || result.Turns != 3 || result.ToolCalls != 2 {
			t.Errorf("got %+v, %v", result, err)
		}
		if !strings.Contains(err.Error(), "turn limit") {
			t.Errorf("got %v", err)
		}
		requests := server.Requests()
		last := requests[2]
		if len(last.Tools) != 0 || last.ToolChoice != "" || len(requests[1].Tools) != 1 {
			t.Errorf("tools of the closing request: got %+v", last.Tools)
		}
		if m := last.Messages[len(last.Messages)-1]; m.CallID != "b" || !strings.Contains(m.Text, "limit of turns") {
			t.Errorf("last message: got %+v", m)
		}
		for _, m := range result.Messages {
			if strings.Contains(m.Text, "limit of turns") || len(m.Calls) > 0 && m.Calls[0].ID == "c" {
				t.Errorf("%+v was kept", m)
			}
		}
		if warnings := eventsOf[agent.WarningEvent](s); len(warnings) != 1 {
			t.Errorf("warnings: got %v", warnings)
		}
	})
}

func TestTurnLimitAnswerInTime(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Limits.Turns = 1 })
	if result, err := s.run(t, "go"); err != nil || result.Status != agent.Completed {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestTurnLimitClosingFails(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("a", "f", "")), openaitest.Reply{Status: 400, Text: "no"})
	s := start(t, server, func(c *agent.Config) { c.Limits.Turns = 1; c.Providers = tools(echo("f")) })
	result, err := s.run(t, "go")
	var failure *agent.Error
	if result.Status != agent.LimitHit || !limited(err, agent.LimitTurns) || !errors.As(err, &failure) {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestTokenLimit(t *testing.T) {
	use := func(n int64) *openaitest.Usage { return &openaitest.Usage{Input: n, Output: 1} }
	server := openaitest.New(t,
		openaitest.Reply{Text: "one", Calls: []openaitest.Call{call("a", "f", "")}, Usage: use(2)},
		openaitest.Reply{Calls: []openaitest.Call{call("b", "f", ""), call("c", "f", "")}, Usage: use(40)},
	)
	s := start(t, server, func(c *agent.Config) { c.Limits.Tokens = 32; c.Providers = tools(echo("f")) })
	result, err := s.run(t, "go")
	if result.Status != agent.LimitHit || !limited(err, agent.LimitTokens) || result.Limit != "tokens" || result.Text != "" {
		t.Errorf("got %+v, %v", result, err)
	}
	if got := results(result); len(got) != 3 || got[1] != "b=Skipped: the limit of tokens is reached." || got[2] != "c=Skipped: the limit of tokens is reached." {
		t.Errorf("results: got %q", got)
	}

	server = openaitest.New(t, openaitest.Reply{Text: "answer", Usage: use(1000)}, openaitest.Reply{Usage: use(1000)})
	s = start(t, server, func(c *agent.Config) { c.Limits.Tokens = 10 })
	if result, err := s.run(t, "go"); err != nil || result.Status != agent.Completed {
		t.Errorf("an answer over the limit: got %+v, %v", result, err)
	}
	if _, err := s.run(t, "go"); !limited(err, agent.LimitTokens) {
		t.Errorf("an empty reply over the limit: got %v", err)
	}
}

func TestEmptyReply(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, openaitest.Text(""), openaitest.Do(call("a", "f", "")), openaitest.Text(" \n"), openaitest.Text("ok"))
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Providers = tools(echo("f")) })
		result, err := s.run(t, "go")
		if err != nil || result.Text != "ok" || result.Turns != 4 {
			t.Fatalf("got %+v, %v", result, err)
		}
		nudge := result.Messages[1]
		if nudge.Role != agent.User || nudge.Source != agent.FromContext || nudge.Provider != "" || nudge.Text == "" {
			t.Errorf("nudge: got %+v", nudge)
		}
		if got := server.Requests()[1].Messages; len(got) != 1 || got[0].Role != "user" || got[0].Text != "go"+inContext(nudge.Text) {
			t.Errorf("second request: got %+v", got)
		}
	})
}

func TestEmptyReplyTwice(t *testing.T) {
	server := openaitest.New(t, openaitest.Text(""), openaitest.Reply{Finish: "length"})
	s := start(t, server, nil)
	result, err := s.run(t, "go")
	var failure *agent.Error
	if !errors.As(err, &failure) || result.Status != agent.Failed || !strings.Contains(err.Error(), "empty reply twice: the server's limit") {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestFinishReasons(t *testing.T) {
	for finish, want := range map[string]string{"length": "limit on its length", "content_filter": "content filter"} {
		server := openaitest.New(t, openaitest.Reply{Text: "part", Finish: finish})
		s := start(t, server, nil)
		result, err := s.run(t, "go")
		if err != nil || result.Text != "part" {
			t.Errorf("%s: got %+v, %v", finish, result, err)
		}
		if warnings := eventsOf[agent.WarningEvent](s); len(warnings) != 1 || !strings.Contains(warnings[0].Message, want) {
			t.Errorf("%s: got %v", finish, warnings)
		}
	}
}

func TestUsageUnknown(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Limits.Tokens = 1; c.Stream = true })
	if result, err := s.run(t, "go"); err != nil || result.Usage != nil || len(eventsOf[agent.UsageEvent](s)) != 0 {
		t.Errorf("got %+v, %v", result, err)
	}
}
