package openaitest_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"skills/internal/testing/openaitest"
)

// askResponses posts a request of the Responses API and returns the status and the body.
func askResponses(t *testing.T, s *openaitest.Server, body string) (int, string) {
	t.Helper()
	response, err := http.Post(s.URL+"/responses", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

// TestResponsesEvents checks that the library reads every event of a stream, and their
// order.
func TestResponsesEvents(t *testing.T) {
	reply := openaitest.Reply{
		Reasoning: "think hard", Text: "a b", Calls: []openaitest.Call{{ID: "c", Name: "f", Arguments: `{"a":1}`}},
		Usage: &openaitest.Usage{Input: 1, Output: 2, Reasoning: 1},
	}
	s := openaitest.New(t, reply)
	response, err := http.Post(s.URL+"/responses", "application/json", strings.NewReader(`{"model":"m","input":[{"type":"message","role":"user","content":"hi"}],"stream":true,"include":["reasoning.encrypted_content"]}`))
	if err != nil {
		t.Fatal(err)
	}
	stream := ssestream.NewStream[responses.ResponseStreamEventUnion](ssestream.NewDecoder(response), nil)
	defer stream.Close()
	var kinds []string
	text, arguments := "", ""
	for stream.Next() {
		event := stream.Current()
		if event.SequenceNumber < int64(len(kinds)) && event.AsAny() == nil {
			t.Errorf("unknown event %s", event.RawJSON())
		}
		switch event := event.AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += event.Delta
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			arguments += event.Delta
		case responses.ResponseCompletedEvent:
			output := event.Response.Output
			if len(output) != 3 || output[0].EncryptedContent != "encrypted:rs_1_0" || output[1].Content[0].Text != "a b" || output[2].CallID != "c" || event.Response.Usage.TotalTokens != 3 {
				t.Errorf("got %s", event.RawJSON())
			}
		}
		if n := len(kinds); n == 0 || kinds[n-1] != event.Type {
			kinds = append(kinds, event.Type)
		}
	}
	want := []string{
		"response.created", "response.in_progress",
		"response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "response.output_item.done",
		"response.output_item.added", "response.content_part.added", "response.output_text.delta", "response.output_text.done", "response.content_part.done", "response.output_item.done",
		"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
		"response.completed",
	}
	if err := stream.Err(); err != nil || !slices.Equal(kinds, want) || text != "a b" || arguments != `{"a":1}` {
		t.Errorf("got %q, text %q, arguments %q, %v", kinds, text, arguments, err)
	}
}

// TestVerifyResponses checks that the test server refuses what a strict server refuses.
func TestVerifyResponses(t *testing.T) {
	const (
		user      = `{"type":"message","role":"user","content":"hi"}`
		call      = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
		output    = `{"type":"function_call_output","call_id":"c","output":"x"}`
		reasoning = `{"type":"reasoning","id":"rs_1_0","summary":[],"encrypted_content":"encrypted:rs_1_0"}`
		issued    = `{"type":"function_call","id":"fc_1_1","call_id":"c","name":"f","arguments":"{}"}`
	)
	request := func(items ...string) string { return `{"model":"m","input":[` + strings.Join(items, ",") + `]}` }
	tool := func(text string) string { return `{"model":"m","input":[` + user + `],"tools":[` + text + `]}` }
	for _, test := range []struct{ name, body, want string }{
		{"good", request(user, call, output, user), ""},
		{"good reasoning", request(user, reasoning, issued, output), ""},
		{"good tool", tool(`{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}`), ""},
		{"junk", "junk", "cannot be read"},
		{"no model", `{"input":[` + user + `]}`, "no model"},
		{"no input", `{"model":"m"}`, "no input"},
		{"field of chat", `{"model":"m","input":[` + user + `],"max_tokens":1}`, `unknown parameter: "max_tokens"`},
		{"unknown type", request(`{"type":"tool_result"}`), "unknown item type"},
		{"no output", request(user, call, user), "have no answer"},
		{"no call", request(user, output), `answers the call "c"`},
		{"call without id", request(user, `{"type":"function_call","name":"f","arguments":"{}"}`), "without call_id"},
		{"arguments", request(user, `{"type":"function_call","call_id":"c","name":"f","arguments":"{"}`), "not JSON"},
		{"reasoning at the end", request(user, reasoning), "without its required following item"},
		{"reasoning before an output", request(user, call, reasoning, output), "without its required following item"},
		{"changed reasoning", request(user, strings.Replace(reasoning, "encrypted:", "", 1), issued, output), "the encrypted content is"},
		{"no reasoning", request(user, issued, output), "without its required 'reasoning' item"},
		{"strict tool", tool(`{"type":"function","name":"f","parameters":{"type":"object"}}`), "is strict"},
		{"text of the user", request(`{"type":"message","role":"user","content":[{"type":"output_text","text":"x","annotations":[]}]}`), "is not of the role"},
		{"image", request(`{"type":"message","role":"user","content":[{"type":"input_image"}]}`), "lacks its value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openaitest.Start(openaitest.Reply{Reasoning: "r", Calls: []openaitest.Call{{ID: "c", Name: "f", Arguments: "{}"}}}, openaitest.Text("x"))
			defer s.Close()
			askResponses(t, s, `{"model":"m","input":[`+user+`],"include":["reasoning.encrypted_content"]}`)
			status, body := askResponses(t, s, test.body)
			if test.want == "" {
				if status != 200 || s.Check() != nil {
					t.Errorf("got %d %s, %v", status, body, s.Check())
				}
				return
			}
			if problems := strings.Join(s.Problems(), "\n"); status != 400 || !strings.Contains(problems, test.want) {
				t.Errorf("got %d, problems %q", status, problems)
			}
		})
	}
}
