package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"skills/internal/params"
)

// messageOf reads a stream with the deltas, and returns the message that is kept.
func messageOf(t *testing.T, deltas ...string) Message {
	t.Helper()
	var stream strings.Builder
	for _, delta := range append(deltas, `{"content":"ok"}`) {
		fmt.Fprintf(&stream, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
	}
	reply, err := ReadReply(strings.NewReader(stream.String() + "data: [DONE]\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Message{Role: Assistant, Text: reply.Text, Reasoning: reply.Reasoning, ReasoningField: reply.ReasoningField, Fields: reply.Fields}
}

// TestReasoningFields checks which fields of a message are kept, and that they are sent
// back as one message.
func TestReasoningFields(t *testing.T) {
	for _, test := range []struct {
		name      string
		deltas    []string
		reasoning string
		sent      string
	}{
		{"nothing", nil, "", `{"content":"ok"}`},
		{"DeepSeek", []string{`{"reasoning_content":"I "}`, `{"reasoning_content":"add."}`}, "I add.", `{"content":"ok","reasoning_content":"I add."}`},
		{"vLLM", []string{`{"reasoning":"I "}`, `{"reasoning":"add."}`}, "I add.", `{"content":"ok","reasoning":"I add."}`},
		{"the same twice", []string{`{"reasoning":"I ","reasoning_content":"I "}`, `{"reasoning_content":"add.","reasoning":"add."}`}, "I add.", `{"content":"ok","reasoning_content":"I add."}`},
		{"Copilot", []string{`{"reasoning_text":"I add."}`, `{"reasoning_opaque":"c2ln"}`}, "I add.", `{"content":"ok","reasoning_text":"I add.","reasoning_opaque":"c2ln"}`},
		{
			"OpenRouter", []string{
				`{"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning":"add.","reasoning_details":[{"type":"reasoning.text","text":"add.","format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j","id":"r1","index":1}]}`,
			}, "I add.",
			`{"content":"ok","reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"c2ln","text":"I add.","type":"reasoning.text"},{"data":"ZW5j","id":"r1","index":1,"type":"reasoning.encrypted"}]}`,
		},
		{
			"OpenRouter, summaries", []string{
				`{"reasoning_details":[{"type":"reasoning.summary","summary":"I ","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.summary","summary":"add.","index":0},{"type":"reasoning.encrypted","data":"YQ==","index":0},{"type":"reasoning.encrypted","data":"Yg==","index":0}]}`,
			}, "I add.",
			`{"content":"ok","reasoning_details":[{"index":0,"summary":"I add.","type":"reasoning.summary"},{"data":"YQ==","index":0,"type":"reasoning.encrypted"},{"data":"Yg==","index":0,"type":"reasoning.encrypted"}]}`,
		},
		{
			"LiteLLM", []string{
				`{"thinking_blocks":[{"type":"thinking","thinking":"I "}]}`, `{"thinking_blocks":[{"type":"thinking","thinking":"add.","signature":""}]}`,
				`{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"c2ln"}]}`, `{"thinking_blocks":[{"type":"thinking","thinking":" More."}]}`,
			}, "I add. More.",
			`{"content":"ok","thinking_blocks":[{"signature":"c2ln","thinking":"I add.","type":"thinking"},{"thinking":" More.","type":"thinking"}]}`,
		},
		{"Gemini", []string{`{"extra_content":{"google":{"thought_signature":"c2ln"}}}`}, "", `{"content":"ok","extra_content":{"google":{"thought_signature":"c2ln"}}}`},
		{"Mistral", []string{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"I "}]}]}`, `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"add."}]}]}`}, "I add.",
			`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"I add."}]},{"type":"text","text":"ok"}]}`},
		{"others", []string{`{"annotations":[],"audio":null,"function_call":null,"name":"x","images":[{"a":1}],"reasoning_content":null,"reasoning":"","reasoning_details":[]}`}, "", `{"content":"ok"}`},
		{"odd", []string{`{"reasoning_details":["a",7,null,[1]],"reasoning":{"a":1e400}}`, `{"reasoning":{"b":2}}`}, "", `{"content":"ok","reasoning":{"a":1e400,"b":2},"reasoning_details":["a",7,null,[1]]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := messageOf(t, test.deltas...)
			if m.Text != "ok" || m.Reasoning != test.reasoning {
				t.Errorf("got %+v", m)
			}
			raw, err := json.Marshal(assistantMessage(m, wire{}))
			sent := map[string]json.RawMessage{}
			if err == nil {
				err = json.Unmarshal(raw, &sent)
			}
			if err != nil || strings.Count(string(raw), `"content":`) != strings.Count(test.sent, `"content":`) {
				t.Fatalf("%s: %v", raw, err)
			}
			delete(sent, "role")
			got, _ := json.Marshal(sent)
			if !sameJSON(t, string(got), test.sent) {
				t.Errorf("sent back %s\nwant %s", got, test.sent)
			}
			// A session keeps it, and a recording plays it.
			stored, err := json.Marshal(m)
			var restored Message
			if err == nil {
				err = json.Unmarshal(stored, &restored)
			}
			again, _ := json.Marshal(assistantMessage(restored, wire{}))
			if err != nil || string(again) != string(raw) {
				t.Errorf("restored %s, want %s (%v)", again, raw, err)
			}
			delta, _ := json.Marshal(m.Sent())
			if len(test.deltas) > 0 {
				played, err := ReadReply(strings.NewReader(`{"choices":[{"message":` + string(delta) + `}]}`))
				if err != nil || played.Reasoning != m.Reasoning || played.Text != m.Text || fmt.Sprint(played.Fields) != fmt.Sprint(m.Fields) {
					t.Errorf("played %+v, %v, want %+v", played, err, m)
				}
			}
		})
	}
}

// sameJSON compares two JSON texts, whose numbers are compared as written.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	normal := func(text string) string {
		var v any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return normal(a) == normal(b)
}

// TestLargeField checks that a field that is too large is dropped as a whole.
func TestLargeField(t *testing.T) {
	var b fieldBuilder
	piece := gjson.Parse(`[{"type":"reasoning.text","index":0,"text":"` + strings.Repeat("x", 1000) + `"}]`)
	for range params.MaxArguments / 900 {
		b.add(piece)
	}
	if v := b.value(); v != "" {
		t.Errorf("kept %d bytes", len(v))
	}
}
