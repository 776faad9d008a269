package agent_test

import (
	"errors"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

const textCall = "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```"

// TestTextCalls checks that calls written as text are calls, streamed or not.
func TestTextCalls(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, openaitest.Text(textCall), openaitest.Text(`{"name": "things", "arguments": {}}`), openaitest.Text(`{"name": "Ana", "age": 3}`))
		s := start(t, server, func(c *agent.Config) {
			f := echo("f")
			f.Aliases, f.Schema = []string{"things"}, map[string]any{"type": "object", "required": []string{"a"}, "properties": map[string]any{"a": map[string]any{}}}
			c.Stream, c.Providers = stream, tools(f)
		})
		result, err := s.run(t, "hi")
		if err != nil || result.Text != `{"name": "Ana", "age": 3}` || result.ToolCalls != 2 {
			t.Fatalf("got %+v, %v", result, err)
		}
		var called []string
		for _, e := range eventsOf[agent.ToolCallEvent](s) {
			called = append(called, e.ID+" "+e.Name+" "+string(e.Arguments))
		}
		if got, want := strings.Join(called, "; "), `call00001 f {"a":1}; call00002 f {"a":"things"}`; got != want {
			t.Errorf("got the calls %s, want %s", got, want)
		}
		var shown strings.Builder
		for _, e := range eventsOf[agent.MessageDelta](s) {
			shown.WriteString(e.Text)
		}
		want := ""
		if stream {
			want = result.Text
		}
		if shown.String() != want {
			t.Errorf("got the deltas %q, want %q", shown.String(), want)
		}
		if n := len(result.Messages[1].Calls); n != 1 || result.Messages[1].Text != "" {
			t.Errorf("the conversation has the text of the call: %+v", result.Messages[1])
		}
	})
}

// TestTextCallAttempts checks that a text that was meant as a call is never the answer.
func TestTextCallAttempts(t *testing.T) {
	const attempt = `{"name": "convert.py", "arguments": {"value": 1}}`
	for _, test := range []struct {
		name    string
		replies []openaitest.Reply
		text    string
		fails   bool
	}{
		{"corrected", []openaitest.Reply{openaitest.Text(attempt), openaitest.Text("2.2 lb")}, "2.2 lb", false},
		{"repeated", []openaitest.Reply{openaitest.Text(attempt), openaitest.Text(attempt)}, "", true},
		{"again after a call", []openaitest.Reply{
			openaitest.Text(attempt), openaitest.Do(openaitest.Call{Name: "f", Arguments: "{}"}), openaitest.Text(attempt), openaitest.Text("2.2 lb"),
		}, "2.2 lb", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, test.replies...)
			s := start(t, server, func(c *agent.Config) { c.Providers = tools(echo("f")) })
			result, err := s.run(t, "hi")
			failed := errors.As(err, new(*agent.TextCallError))
			if failed != test.fails || result.Text != test.text || result.Answered == test.fails {
				t.Errorf("got %+v, %v", result, err)
			}
			sent := server.Requests()[1]
			if last := sent.Messages[len(sent.Messages)-1]; !strings.Contains(last.Text, `There is no tool named "convert.py".`) {
				t.Errorf("the model was sent %q", last.Text)
			}
		})
	}
}

// TestTextCallAtTheEnd checks that a call in the closing answer is not the answer.
func TestTextCallAtTheEnd(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(openaitest.Call{Name: "f", Arguments: "{}"}), openaitest.Text(textCall))
	s := start(t, server, func(c *agent.Config) { c.Limits.Turns, c.Providers = 1, tools(echo("f")) })
	result, err := s.run(t, "hi")
	if !errors.As(err, new(*agent.LimitError)) || result.Text != "" || result.ToolCalls != 1 {
		t.Errorf("got %+v, %v", result, err)
	}
}

// TestAnswerLikeCall checks that an answer that is wanted as JSON is one.
func TestAnswerLikeCall(t *testing.T) {
	server := openaitest.New(t, openaitest.Text(`{"name": "f", "arguments": {}}`))
	s := start(t, server, func(c *agent.Config) {
		c.Providers, c.IsAnswer = tools(echo("f")), func(text string) bool { return strings.HasPrefix(text, "{") }
	})
	result, err := s.run(t, "hi")
	if err != nil || result.ToolCalls != 0 || result.Text == "" {
		t.Errorf("got %+v, %v", result, err)
	}
}
