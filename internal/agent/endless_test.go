package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestEndlessReply checks that a reply that repeats itself is stopped and requested once
// more, whatever part of it does, and that a second one fails the run.
func TestEndlessReply(t *testing.T) {
	const sentence = "I will now call the tool. "
	many := strings.Repeat(sentence, 5000)
	for _, test := range []struct {
		name  string
		reply openaitest.Reply
		want  string
		void  bool
	}{
		{"text", openaitest.Text(many), `it repeats "I will now call the tool." without end`, true},
		{"white space", openaitest.Reply{Text: "\n", Pacing: openaitest.Pacing{Repeat: 5000}}, "it repeats white space without end", false},
		{"reasoning", openaitest.Reply{Reasoning: many}, `it repeats "I will now call the tool." without end`, false},
		{"arguments", openaitest.Do(call("c1", "one", `{"text":"`+many)), `it repeats "I will now call the tool." without end`, false},
		{"white space in arguments", openaitest.Do(call("c1", "one", `{"text":`+strings.Repeat("\n", 5000))), "it repeats white space without end", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, test.reply, openaitest.Text("ok"))
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.Retries, c.Providers = true, 0, tools(echo("one")) })
			result, err := s.run(t, "go")
			if err != nil || result.Text != "ok" {
				t.Fatalf("got %+v, %v", result, err)
			}
			warnings, retries := eventsOf[agent.WarningEvent](s), eventsOf[agent.RetryEvent](s)
			if len(warnings) != 1 || !strings.Contains(warnings[0].Message, test.want) || len(retries) != 1 || retries[0].Void != test.void {
				t.Errorf("warnings %+v, retries %+v, want %s", warnings, retries, test.want)
			}
			if bodies := server.Requests(); string(bodies[0].Body) != string(bodies[1].Body) {
				t.Error("the second request differs")
			}

			server = openaitest.New(t, test.reply, test.reply)
			s = start(t, server, func(c *agent.Config) { c.Providers = tools(echo("one")) })
			result, err = s.run(t, "go")
			failure, ok := errors.AsType[*agent.Error](err)
			if !ok || result.Status != agent.Failed || !strings.Contains(failure.Message, test.want) || failure.Hint == "" {
				t.Errorf("after a second one: got %+v, %v", result, err)
			}
			if retries := eventsOf[agent.RetryEvent](s); len(retries) != 1 || retries[0].Void || len(s.waits) != 0 {
				t.Errorf("retries: got %+v, waits %v", retries, s.waits)
			}
		})
	}
}

// TestAlwaysStreamed checks that requests ask for streams although no pieces are
// reported, and that progress includes reasoning and calls.
func TestAlwaysStreamed(t *testing.T) {
	server := openaitest.New(t,
		openaitest.Reply{Reasoning: "let me see", Calls: []openaitest.Call{call("c1", "one", `{"a":"some longer text"}`)}},
		openaitest.Text("one two three"))
	s := start(t, server, func(c *agent.Config) { c.Providers = tools(echo("one")) })
	if result, err := s.run(t, "go"); err != nil || result.Text != "one two three" {
		t.Fatalf("got %+v, %v", result, err)
	}
	for _, r := range server.Requests() {
		if !r.Stream || !r.StreamOptions {
			t.Errorf("not streamed: %s", r.Body)
		}
	}
	if deltas := eventsOf[agent.MessageDelta](s); deltas != nil {
		t.Errorf("got %+v", deltas)
	}
	var turns [][]int64
	for _, e := range s.events {
		switch e := e.(type) {
		case agent.RequestEvent:
			turns = append(turns, nil)
		case agent.ProgressEvent:
			turns[len(turns)-1] = append(turns[len(turns)-1], e.Tokens)
		}
	}
	for _, tokens := range turns {
		if len(tokens) < 3 || tokens[0] < 1 || !slices.IsSorted(tokens) {
			t.Errorf("progress: %v", tokens)
		}
	}
	if len(turns) != 2 || turns[0][len(turns[0])-1] < 6 {
		t.Errorf("progress: %v", turns)
	}
}
