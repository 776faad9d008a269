package agent_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// constrainedAgent starts an agent with a tool f and a mode of tool calls.
func constrainedAgent(t *testing.T, mode string, replies ...openaitest.Reply) *setup {
	return start(t, openaitest.New(t, replies...), func(c *agent.Config) {
		c.Providers, c.ToolCalls.Mode = tools(echo("f")), mode
	})
}

const (
	jsonCall   = `{"name":"f","arguments":{"a":1}}`
	jsonAnswer = `{"name":"answer","arguments":{"text":"2 lb"}}`
)

// warned returns the text of all warnings.
func warned(s *setup) string {
	var texts []string
	for _, e := range eventsOf[agent.WarningEvent](s) {
		texts = append(texts, e.Message)
	}
	return strings.Join(texts, "; ")
}

// TestConstrained checks that constrained calls are ordinary ones for everything but the
// server.
func TestConstrained(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, openaitest.Text(jsonCall), openaitest.Text(jsonAnswer))
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Providers, c.ToolCalls.Mode = stream, tools(echo("f")), agent.CallsJSON
		})
		result, err := s.run(t, "hi")
		if err != nil || result.Text != "2 lb" || result.ToolCalls != 1 || len(result.Messages) != 4 || result.Messages[1].Calls[0].Name != "f" {
			t.Fatalf("got %+v, %v", result, err)
		}
		var deltas strings.Builder
		for _, e := range eventsOf[agent.MessageDelta](s) {
			deltas.WriteString(e.Text)
		}
		if want := map[bool]string{true: "2 lb", false: ""}[stream]; deltas.String() != want {
			t.Errorf("got the deltas %q, want %q", deltas.String(), want)
		}
		for i, r := range server.Requests() {
			if len(r.Tools) > 0 || !strings.Contains(string(r.Body), `"response_format":{"type":"json_schema"`) || r.Messages[0].Role != "user" {
				t.Errorf("request %d: %s", i, r.Body)
			}
		}
		if last := server.Requests()[1].Messages; last[1].Text != jsonCall || !strings.Contains(last[2].Text, `f{"a":1}`) {
			t.Errorf("got the messages %+v", last)
		}
	})
}

// TestConstrainedFallback checks the simpler forms for servers that refuse the schema.
func TestConstrainedFallback(t *testing.T) {
	refusal := openaitest.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"response_format is not supported"}}`}
	s := constrainedAgent(t, agent.CallsJSON, refusal, refusal, openaitest.Text("```json\n"+jsonCall+"\n```"), openaitest.Text(jsonAnswer))
	result, err := s.run(t, "hi")
	if err != nil || result.Text != "2 lb" || result.ToolCalls != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	var formats []string
	for _, r := range s.server.Requests() {
		_, format, _ := strings.Cut(string(r.Body), `"response_format":{"type":"`)
		format, _, _ = strings.Cut(format, `"`)
		formats = append(formats, format)
	}
	if got := strings.Join(formats, ","); got != "json_schema,json_object,," {
		t.Errorf("got the formats %s", got)
	}
	if n := len(eventsOf[agent.RetryEvent](s)); n != 2 {
		t.Errorf("%d changes were reported", n)
	}
}

// TestConstrainedCut checks that a reply that was cut off is requested with more room once.
func TestConstrainedCut(t *testing.T) {
	cut := openaitest.Reply{Text: `{"name":"answer","arguments":{"text":"2 l`, Finish: "length"}
	s := constrainedAgent(t, agent.CallsJSON, cut, openaitest.Text(jsonAnswer))
	result, err := s.run(t, "hi")
	if err != nil || result.Text != "2 lb" || !strings.Contains(string(s.server.Requests()[1].Body), `"max_tokens":8192`) {
		t.Errorf("got %+v, %v", result, err)
	}
	s = constrainedAgent(t, agent.CallsJSON, cut, cut)
	result, err = s.run(t, "hi")
	limit, ok := errors.AsType[*agent.LimitError](err)
	if !ok || limit.Limit != agent.LimitReply || result.Status != agent.LimitHit || result.Text != "" {
		t.Errorf("got %+v, %v", result, err)
	}
	var long strings.Builder
	for i := range 1 << 9 {
		fmt.Fprintf(&long, "%04096d ", i)
	}
	s = constrainedAgent(t, agent.CallsJSON, openaitest.Text(`{"name":"answer","arguments":{"text":"`+long.String()+`"}}`))
	result, err = s.run(t, "hi")
	if !errors.As(err, &limit) {
		t.Errorf("a reply of 2 MB: got %v, %v", result.Status, err)
	}
}

// TestConstrainedProse checks that a model that does not keep to the form is reminded once.
func TestConstrainedProse(t *testing.T) {
	s := constrainedAgent(t, agent.CallsJSON, openaitest.Text("It is 2 lb."), openaitest.Text("It is 2 lb."))
	result, err := s.run(t, "hi")
	if err != nil || result.Text != "It is 2 lb." || result.Turns != 2 {
		t.Errorf("got %+v, %v", result, err)
	}
}

// TestAutoCalls checks when native calls are left.
func TestAutoCalls(t *testing.T) {
	refusal := func(message string) openaitest.Reply {
		return openaitest.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"` + message + `"}}`}
	}
	for name, first := range map[string]openaitest.Reply{
		"a call as text":      openaitest.Text(textCall),
		"meant as a call":     openaitest.Text(`{"name": "convert.py", "arguments": {"value": 1}}`),
		"Ollama":              refusal("registry.ollama.ai/library/gemma2 does not support tools"),
		"vLLM":                refusal(`\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`),
		"llama.cpp":           refusal("tools param requires --jinja flag"),
		"a template's order":  refusal("Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."),
		"a template's system": refusal("Error rendering prompt with jinja template: \\\"System role not supported\\\""),
	} {
		t.Run(name, func(t *testing.T) {
			changed := 0
			s := start(t, openaitest.New(t, first, openaitest.Text(jsonAnswer)), func(c *agent.Config) {
				c.Providers = tools(echo("f"))
				c.ToolCalls = agent.ToolCalls{Mode: agent.CallsAuto, Changed: func() { changed++ }}
			})
			result, err := s.run(t, "hi")
			if err != nil || result.Text != "2 lb" {
				t.Fatalf("got %+v, %v", result, err)
			}
			if !strings.Contains(warned(s), "; continuing with --tool-calls json") || changed != 1 {
				t.Errorf("%d changes, got the warnings %q", changed, warned(s))
			}
		})
	}
}

// TestAutoUnseen checks that native calls are left after an answer that shows that the model
// does not see the tools, and after no other.
func TestAutoUnseen(t *testing.T) {
	const denial, other = "I'm sorry, but I don't have access to any external tools.", "I don't have a tool for PDF files."
	usage := func(n int64) *openaitest.Usage { return &openaitest.Usage{Input: n, Output: 5} }
	instructions := strings.Repeat("Use the tools that you have for everything that is asked. ", 40) // 480 tokens or so
	long := strings.Repeat("It is what you call. ", 200)                                             // 1,000
	for name, tt := range map[string]struct {
		first openaitest.Reply
		left  bool
	}{
		"it says so":             {openaitest.Reply{Text: denial}, true},
		"it describes calls":     {openaitest.Reply{Text: "First I call f:\n```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```\nThen I answer:\n```json\n{\"lb\": 2}\n```"}, true},
		"it has JSON":            {openaitest.Reply{Text: "Here:\n```json\n{\"lb\": 2}\n```"}, false},
		"it says something else": {openaitest.Reply{Text: other}, false},
		"counted without tools":  {openaitest.Reply{Text: "Hm.", Usage: usage(480)}, true},
		"counted with tools":     {openaitest.Reply{Text: "Hm.", Usage: usage(1400)}, false},
		"counted without more":   {openaitest.Reply{Text: "Hm.", Usage: usage(210)}, false}, // shortened
	} {
		t.Run(name, func(t *testing.T) {
			replies := []openaitest.Reply{tt.first}
			if tt.left {
				replies = append(replies, openaitest.Text(jsonAnswer))
			}
			tool := echo("f")
			tool.Description = long
			s := start(t, openaitest.New(t, replies...), func(c *agent.Config) {
				c.Instructions, c.Providers, c.ToolCalls.Mode = instructions, tools(tool), agent.CallsAuto
			})
			result, err := s.run(t, "hi")
			if err != nil || (result.Text == "2 lb") != tt.left {
				t.Errorf("got %+v, %v; warnings %s", result, err, warned(s))
			}
		})
	}
}

// TestAutoStops checks that a reply that describes calls is not waited for.
func TestAutoStops(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		endless := openaitest.Reply{Pacing: openaitest.Pacing{
			Pieces: []string{"First:\n```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```\n", "Then"}, Hold: make(chan struct{}),
		}}
		endless.Text = strings.Join(endless.Pieces, "")
		s := start(t, openaitest.New(t, endless, openaitest.Text(jsonAnswer)), func(c *agent.Config) {
			c.Stream, c.Providers, c.ToolCalls.Mode = stream, tools(echo("f")), agent.CallsAuto
		})
		result, err := s.run(t, "hi")
		if err != nil || result.Text != "2 lb" {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}

// TestAutoProved checks that the change is reported only once a reply is in the form, and
// that what the model chose before is chosen again.
func TestAutoProved(t *testing.T) {
	for name, tt := range map[string]struct {
		replies []openaitest.Reply
		changed int
		calls   int
	}{
		"a call again":      {[]openaitest.Reply{openaitest.Text(textCall), openaitest.Text(jsonCall), openaitest.Text(jsonAnswer)}, 1, 1},
		"prose all the way": {[]openaitest.Reply{openaitest.Text(textCall), openaitest.Text("2 lb"), openaitest.Text("2 lb")}, 0, 0},
		"an empty reply":    {[]openaitest.Reply{openaitest.Text(textCall), openaitest.Text(""), openaitest.Text(jsonAnswer)}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			changed := 0
			s := start(t, openaitest.New(t, tt.replies...), func(c *agent.Config) {
				c.Providers = tools(echo("f"))
				c.ToolCalls = agent.ToolCalls{Mode: agent.CallsAuto, Changed: func() { changed++ }}
			})
			result, err := s.run(t, "hi")
			if err != nil || result.Text != "2 lb" || result.ToolCalls != tt.calls || changed != tt.changed {
				t.Errorf("got %+v, %v; %d changes", result, err, changed)
			}
		})
	}
}

// TestNativeCalls checks that native calls are never left.
func TestNativeCalls(t *testing.T) {
	s := constrainedAgent(t, agent.CallsNative, openaitest.Text(textCall), openaitest.Text("2 lb"))
	result, err := s.run(t, "hi")
	if err != nil || result.ToolCalls != 1 || warned(s) != "" || len(s.server.Requests()[1].Tools) != 1 {
		t.Errorf("got %+v, %v", result, err)
	}
}
