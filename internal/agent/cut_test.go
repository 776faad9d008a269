package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestCutEverywhere closes the connection after every possible byte. The result is an
// error or a retry, never part of an answer.
func TestCutEverywhere(t *testing.T) {
	reply := openaitest.Reply{
		Text: "the whole answer", Calls: []openaitest.Call{call("c1", "one", `{"path":"a/b"}`)},
		Usage: &openaitest.Usage{Input: 1, Output: 2},
	}
	end := strings.Index(reply.Stream("test-model"), `"finish_reason":"tool_calls"`)
	end += strings.Index(reply.Stream("test-model")[end:], "\n\n") + len("\n\n")
	server := openaitest.Start()
	defer server.Close()
	whole, broken := 0, 0
	for n := 0; n < len(reply.Stream("test-model")); n++ {
		cut := reply
		cut.Cut, cut.Drop = n, n == 0
		server.Add(cut)
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Server.Retries, c.Limits.Turns = true, 0, 1
			c.Providers = tools(echo("one"))
		})
		if n >= end {
			server.Add(openaitest.Text("closing"))
		}
		result, err := s.run(t, "go")
		if n < end {
			broken++
			var failure *agent.Error
			if !errors.As(err, &failure) || !failure.Temporary || result.Turns != 0 || result.ToolCalls != 0 || result.Text != "" {
				t.Fatalf("cut after %d bytes: got %+v, %v", n, result, err)
			}
			continue
		}
		whole++
		if !limited(err, agent.LimitTurns) || result.Messages[1].Text != "the whole answer" || !slices.Equal(results(result), []string{`c1=one{"path":"a/b"}`}) {
			t.Fatalf("cut after %d of %d bytes, beyond the end: got %+v, %v", n, len(reply.Stream("test-model")), result, err)
		}
	}
	if broken == 0 || whole == 0 {
		t.Errorf("%d cuts before and %d beyond the end", broken, whole)
	}
	if problems := server.Problems(); len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}

// TestCutEverywhereIsRetried checks that a run gets the complete answer by a retry,
// wherever the connection was cut.
func TestCutEverywhereIsRetried(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		reply := openaitest.Reply{Text: "the whole größe", Usage: &openaitest.Usage{Input: 1, Output: 2}}
		body := reply.Completion("test-model")
		if stream {
			body = reply.Stream("test-model")
		}
		server := openaitest.Start()
		defer server.Close()
		retried := 0
		for n := range len(body) {
			cut := reply
			cut.Cut, cut.Drop = n, n == 0
			server.Add(cut)
			asked := len(server.Requests())
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream, c.Server.Retries = stream, !stream, 1 })
			server.Add(reply)
			result, err := s.run(t, "go")
			if err != nil || result.Text != "the whole größe" || result.Turns != 1 {
				t.Fatalf("cut after %d of %d bytes: got %+v, %v", n, len(body), result, err)
			}
			if len(server.Requests()) == asked+2 {
				retried++
				continue
			}
			server.Skip() // the answer was whole before the cut
		}
		if retried < len(body)/2 {
			t.Errorf("%d of %d were asked again", retried, len(body))
		}
		if err := server.Check(); err != nil {
			t.Error(err)
		}
	})
}

func TestCutPlainEverywhere(t *testing.T) {
	body := `{"choices":[{"index":0,"message":{"role":"assistant","content":"the whole answer"},"finish_reason":"stop"}]}`
	server := openaitest.Start()
	defer server.Close()
	for n := 1; n < len(body); n++ {
		server.Add(openaitest.Reply{Body: body, Cut: n})
		s := start(t, server, func(c *agent.Config) { c.Server.Retries = 0 })
		var failure *agent.Error
		if result, err := s.run(t, "go"); !errors.As(err, &failure) || !failure.Temporary || result.Text != "" {
			t.Fatalf("cut after %d bytes: got %+v, %v", n, result, err)
		}
	}
}
