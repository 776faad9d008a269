package agent_test

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestReasoning checks that reasoning is an event and goes back to the server, and is no
// part of messages.
func TestReasoning(t *testing.T) {
	for _, test := range []struct {
		name, head, sent string
	}{
		{"a field", `{"reasoning":"I look."}`, `"reasoning":"I look."`},
		{"details", `{"reasoning":"I look.","reasoning_details":[{"type":"reasoning.text","text":"I look.","index":0,"signature":"c2ln"}]}`, `"reasoning_details":[{"index":0,"signature":"c2ln","text":"I look.","type":"reasoning.text"}]`},
		{"a tag", `{"content":"<think>I look.</think>\\n"}`, `"content":"<think>I look.</think>\n\n"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			stream := `data: {"choices":[{"index":0,"delta":` + test.head + `}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"one","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
			stream = strings.ReplaceAll(stream, `\\n`, `\n`)
			server := openaitest.New(t, openaitest.Reply{SSE: stream}, openaitest.Text("ok"))
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Providers = true, tools(echo("one")) })
			result, err := s.run(t, "go")
			if err != nil || result.Text != "ok" || result.Messages[1].Text != "" || result.Messages[1].Reasoning != "I look." {
				t.Fatalf("got %+v, %v", result, err)
			}
			if got := eventsOf[agent.ReasoningEvent](s); !slices.Equal(got, []agent.ReasoningEvent{{Text: "I look."}}) {
				t.Errorf("events: got %+v", got)
			}
			if body := string(server.Requests()[1].Body); !strings.Contains(body, test.sent) {
				t.Errorf("sent %s, want %s", body, test.sent)
			}
			if kinds := s.kinds(); slices.Index(kinds, "reasoning") > slices.Index(kinds, "tool.call") {
				t.Errorf("events: got %v", kinds)
			}
		})
	}
}

// TestUnopenedReasoning checks that text which turns out to be reasoning is withdrawn
// once, and that later replies of the same form are not shown before.
func TestUnopenedReasoning(t *testing.T) {
	reply := openaitest.Reply{Text: "I look.\n</think>\n\nLet me see.", Calls: []openaitest.Call{call("c1", "one", "{}")}}
	server := openaitest.New(t, reply, openaitest.Text("Now I know.\n</think>\n\nok"))
	s := start(t, server, func(c *agent.Config) { c.Stream, c.Providers = true, tools(echo("one")) })
	result, err := s.run(t, "go")
	if err != nil || result.Text != "ok" || result.Messages[1].Text != "Let me see." {
		t.Fatalf("got %+v, %v", result, err)
	}
	if got := eventsOf[agent.ReasoningEvent](s); !slices.Equal(got, []agent.ReasoningEvent{{Text: "I look.", Void: true}, {Text: "Now I know."}}) {
		t.Errorf("events: got %+v", got)
	}
	deltas := eventsOf[agent.MessageDelta](s)
	if last := deltas[len(deltas)-1]; last.Text != "ok" {
		t.Errorf("deltas: got %+v", deltas)
	}
}

// TestReasoningRefused checks that reasoning that the server does not take back is omitted
// after one retry, for the rest of the run.
func TestReasoningRefused(t *testing.T) {
	server := openaitest.New(t,
		openaitest.Reply{Reasoning: "I look.", Calls: []openaitest.Call{call("c1", "one", "{}")}},
		openaitest.Reply{Status: 400, Text: "property 'reasoning_content' is unsupported"},
		openaitest.Reply{Reasoning: "More.", Calls: []openaitest.Call{call("c2", "one", "{}")}},
		openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Server.Retries, c.Providers = 0, tools(echo("one")) })
	if result, err := s.run(t, "go"); err != nil || result.Text != "ok" {
		t.Fatalf("got %+v, %v", result, err)
	}
	var sent []bool
	for _, r := range server.Requests() {
		sent = append(sent, strings.Contains(string(r.Body), "reasoning_content"))
	}
	if !slices.Equal(sent, []bool{false, true, false, false}) {
		t.Errorf("sent back: %v", sent)
	}
}
