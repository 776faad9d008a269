package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/tidwall/gjson"

	"skills/internal/testing/openaitest"
)

// sentBody returns the body that a client sends for a request.
func sentBody(t *testing.T, p protocol, r Request) []byte {
	t.Helper()
	var sent []byte
	transport := roundTripper(func(request *http.Request) (*http.Response, error) {
		var b bytes.Buffer
		_, err := b.ReadFrom(request.Body)
		sent = b.Bytes()
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: request}, err
	})
	e := envelope{api: ChatAPI, stream: true}
	if p == (responsesProtocol{}) {
		overResponses(&e)
	}
	body, fields := p.request(r, e)
	var changes []option.RequestOption
	for _, f := range fields {
		changes = append(changes, option.WithJSONSet(f.path, f.value))
	}
	service := openai.Client{Options: []option.RequestOption{option.WithBaseURL("http://h/"), option.WithHTTPClient(&http.Client{Transport: transport})}}
	var response *http.Response
	if err := service.Post(t.Context(), p.path(), body, &response, changes...); err != nil {
		t.Fatal(err)
	}
	return sent
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// everyItem is a conversation with each kind of item.
var everyItem = []Message{
	{Role: User, Text: "look", Parts: []Part{{Name: "a.png", Type: "image/png", Data: []byte("png")}, {Name: "b.pdf", Type: "application/pdf", Data: []byte("pdf")}, {Name: "c.txt", Type: PlainText, Data: []byte("text\n")}}},
	{
		Role: Assistant, Text: "first\n\nsecond", Reasoning: "shown", Calls: []ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":"<b>"}`}, {ID: "c2", Name: "g h", Arguments: "junk"}},
		Items: []Item{
			{Type: "reasoning", ID: "rs_1", Reasoning: `{"id":"rs_1","type":"reasoning","summary":[],"status":null,"content":null,"encrypted_content":"a<b"}`},
			{Type: "message", ID: "msg_1", Size: 5, Phase: "commentary"}, {Type: "function_call", ID: "fc_1"},
			{Type: "reasoning", ID: "rs_2", Reasoning: `{"id":"rs_2","type":"reasoning","summary":[]}`},
			{Type: "message", ID: "msg_2", Size: 6}, {Type: "function_call", ID: "fc_2"},
		},
	},
	{Role: ToolRole, CallID: "c1", Name: "f", Text: "out"}, {Role: ToolRole, CallID: "c2", Name: "g h", Text: "put"},
	{Role: Assistant, Text: "from the other protocol", Reasoning: "dropped", Calls: []ToolCall{{ID: "c3", Name: "f", Extra: `{"signature":"dropped"}`}}},
	{Role: ToolRole, CallID: "c3", Name: "f", Text: "out"}, {Role: User, Source: FromContext, Text: "list"},
}

// TestResponsesRequest checks every item of a request: order, ids, images and files, and
// that nothing of the other protocol is in it.
func TestResponsesRequest(t *testing.T) {
	want := `{"model":"m","instructions":"be brief","input":[` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,cG5n","detail":"auto"},` +
		`{"type":"input_file","filename":"b.pdf","file_data":"data:application/pdf;base64,cGRm"},{"type":"input_text","text":"<file name=\"c.txt\">\ntext\n</file>"}]},` +
		`{"encrypted_content":"a<b","id":"rs_1","summary":[],"type":"reasoning"},` +
		`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"first","annotations":[]}],"phase":"commentary"},` +
		`{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"a\":\"<b>\"}"},` +
		`{"type":"message","role":"assistant","content":"second"},` +
		`{"type":"function_call","call_id":"c2","name":"g_h","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c1","output":"out"},{"type":"function_call_output","call_id":"c2","output":"put"},` +
		`{"type":"message","role":"assistant","content":"from the other protocol"},{"type":"function_call","call_id":"c3","name":"f","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c3","output":"out\n\n<context>\nlist\n</context>"}],` +
		`"tools":[{"type":"function","name":"f","description":"d","parameters":{"properties":{},"type":"object"},"strict":false}],` +
		`"include":["reasoning.encrypted_content"],"store":false,"stream":true}`
	request := Request{Model: "m", Instructions: "be brief", Messages: everyItem, Tools: []Tool{{Name: "f", Description: "d"}}}
	got := sentBody(t, responsesProtocol{}, request)
	if string(bytes.TrimSpace(got)) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The library has the same names for everything. It reads the message of the model as one
	// of the program, which has no id.
	var p responses.ResponseNewParams
	if err := json.Unmarshal(got, &p); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if missing := absent("", gjson.ParseBytes(got), gjson.ParseBytes(again)); !slices.Equal(missing, []string{".input.2.id", ".input.2.status", ".stream"}) {
		t.Errorf("not known to the library: %q", missing)
	}
}

// absent returns the paths of values that another value does not have.
func absent(path string, v, other gjson.Result) (paths []string) {
	if !v.IsObject() && !v.IsArray() {
		if v.Raw != other.Raw && v.String() != other.String() {
			return []string{path}
		}
		return nil
	}
	i := 0
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if v.IsArray() {
			name = string(rune('0' + i%10))
			paths = append(paths, absent(path+"."+name, value, other.Array()[i])...)
			i++
			return true
		}
		paths = append(paths, absent(path+"."+name, value, other.Get(strings.ReplaceAll(name, ".", `\.`)))...)
		return true
	})
	return paths
}

// TestChatOfItems checks that a reply of the Responses API continues over chat completions:
// calls keep their ids, and nothing else of its items is sent.
func TestChatOfItems(t *testing.T) {
	got := string(sentBody(t, chatProtocol{}, Request{Model: "m", Messages: everyItem}))
	for _, unwanted := range []string{"encrypted", "rs_1", "fc_1", "msg_1", "commentary", `"shown"`} {
		if strings.Contains(got, unwanted) {
			t.Errorf("sent %s in %s", unwanted, got)
		}
	}
	if !strings.Contains(got, `"content":"first\n\nsecond","tool_calls":[{"id":"c1",`) || !strings.Contains(got, `"extra_content":{"signature":"dropped"}`) {
		t.Errorf("got %s", got)
	}
}

// TestItemsOfChangedMessages checks that a message whose text or calls were changed is sent
// without the items of its reply, and that no session file makes a request fail.
func TestItemsOfChangedMessages(t *testing.T) {
	message, call := func(size int) Item { return Item{Type: "message", ID: "msg_1", Size: size} }, Item{Type: "function_call", ID: "fc_1"}
	reasoning := Item{Type: "reasoning", ID: "rs_1", Reasoning: `{"id":"rs_1","encrypted_content":"x"}`}
	one := []ToolCall{{ID: "c1", Name: "f"}}
	for _, test := range []struct {
		name    string
		message Message
		ids     bool
	}{
		{"same", Message{Text: "abc", Calls: one, Items: []Item{reasoning, message(3), call}}, true},
		{"white space was dropped", Message{Calls: one, Items: []Item{reasoning, message(2), call}}, true},
		{"text was changed", Message{Text: "abcd", Calls: one, Items: []Item{reasoning, message(0), call}}, true},
		{"one of two texts is longer", Message{Text: "abc\n\nd", Calls: one, Items: []Item{reasoning, message(2), message(1), call}}, false},
		{"one of two texts is gone", Message{Text: "ab", Calls: one, Items: []Item{reasoning, message(2), message(1), call}}, false},
		{"text was added", Message{Text: "ab", Calls: one, Items: []Item{reasoning, call}}, false},
		{"calls were dropped", Message{Text: "abc", Items: []Item{reasoning, message(3), call}}, false},
		{"a call was added", Message{Text: "abc", Calls: append(one, one...), Items: []Item{reasoning, message(3), call}}, false},
		{"two texts", Message{Text: "ab\n\nc", Items: []Item{message(2), message(1)}}, true},
		{"two texts without their separator", Message{Text: "ab.\nc", Items: []Item{message(2), message(1)}}, false},
		{"negative", Message{Text: "abc", Items: []Item{message(-1), message(4)}}, false},
		{"too large", Message{Text: "abc", Items: []Item{message(1 << 60), message(1)}}, false},
		{"reasoning is not JSON", Message{Text: "abc", Items: []Item{{Type: "reasoning", Reasoning: "junk"}, message(3)}}, false},
		{"unknown type", Message{Text: "abc", Items: []Item{{Type: "other", ID: "x"}, message(3)}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.message.Role = Assistant
			got := string(sentBody(t, responsesProtocol{}, Request{Model: "m", Messages: []Message{{Role: User, Text: "go"}, test.message}}))
			input := gjson.Get(got, "input")
			text := ""
			for _, part := range input.Array()[1:] {
				text += part.Get("content.0.text").Str + part.Get("content").Str
			}
			if strings.Contains(got, `"msg_1"`) != test.ids && strings.Contains(got, `"fc_1"`) != test.ids || strings.ReplaceAll(test.message.Text, "\n\n", "") != strings.ReplaceAll(text, "\n\n", "") {
				t.Errorf("got %s", got)
			}
			if !test.ids && strings.Contains(got, `"rs_1"`) || len(input.Get(`#(type=="function_call")#`).Array()) != len(test.message.Calls) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestResponsesParams checks where the parameters of chat completions are in this protocol.
func TestResponsesParams(t *testing.T) {
	for _, test := range []struct{ params, want string }{
		{`{"temperature":0,"top_k":5}`, `{"temperature":0,"top_k":5}`},
		{`{"max_tokens":9}`, `{"max_output_tokens":9}`},
		{`{"max_completion_tokens":9}`, `{"max_output_tokens":9}`},
		{`{"reasoning_effort":"low","reasoning_summary":"auto"}`, `{"reasoning":{"effort":"low","summary":"auto"}}`},
		{`{"reasoning":{"summary":"auto"},"reasoning_effort":"low"}`, `{"reasoning":{"summary":"auto","effort":"low"}}`},
		{`{"verbosity":"low","text":{"x":1}}`, `{"text":{"x":1,"verbosity":"low"}}`},
		{`{"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}},"verbosity":"low"}`, `{"text":{"format":{"name":"answer","schema":{"type":"object"},"type":"json_schema"},"verbosity":"low"}}`},
		{`{"response_format":{"type":"json_object"}}`, `{"text":{"format":{"type":"json_object"}}}`},
		{`{"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false}`, `{"parallel_tool_calls":false,"tool_choice":{"name":"f","type":"function"}}`},
		{`{"tool_choice":"required"}`, `{"tool_choice":"required"}`},
		{`{"store":true}`, `{"store":true}`},
	} {
		request := Request{Model: "m", Tools: []Tool{{Name: "f"}}}
		if err := json.Unmarshal([]byte(test.params), &request.Params); err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		body := sentBody(t, responsesProtocol{}, request)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(err)
		}
		for name := range want {
			if a, b := mustJSON(t, got[name]), mustJSON(t, want[name]); a != b {
				t.Errorf("%s: %s is %s, want %s", test.params, name, a, b)
			}
		}
		for name := range request.Params {
			if _, ok := want[name]; !ok && got[name] != nil {
				t.Errorf("%s: sent %s in %s", test.params, name, body)
			}
		}
		if known := slices.Sorted(maps.Keys(got)); slices.Contains(known, "max_tokens") {
			t.Errorf("sent %q", known)
		}
	}
	without := Request{Model: "m", Params: Params{"tool_choice": json.RawMessage(`"auto"`)}}
	if got := string(sentBody(t, responsesProtocol{}, without)); strings.Contains(got, "tool") {
		t.Errorf("without tools: sent %s", got)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestResponsesItems checks what is kept of a reply: the order of its items, their ids, and
// reasoning as it was when it was done.
func TestResponsesItems(t *testing.T) {
	reply := openaitest.Reply{Reasoning: "think hard", Text: "a b", Calls: []openaitest.Call{{ID: "c1", Name: "f", Arguments: "{}"}}}
	got, err := ReadReply(strings.NewReader(reply.ResponsesStream("m")))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Items) != 3 || !strings.Contains(string(got.Items[0].Reasoning), `"encrypted_content":"encrypted:rs_0_0"`) {
		t.Fatalf("got %+v", got)
	}
	got.Items[0].Reasoning = ""
	want := []Item{{Type: "reasoning", ID: "rs_0_0"}, {Type: "message", ID: "msg_0_1"}, {Type: "function_call", ID: "fc_0_2"}}
	if !slices.Equal(got.Items, want) || got.Reasoning != "think hard" || got.Text != "a b" || got.Finish != "tool_calls" {
		t.Errorf("got %+v", got)
	}
}

// TestManyItems checks that many items take time and memory in proportion to their text, and
// that there is an end.
func TestManyItems(t *testing.T) {
	many := strings.Repeat(`{"type":"other"},`, 100_000) + `{"type":"message","content":[{"text":"x"}]}`
	_, err := ReadReply(strings.NewReader(`{"object":"response","status":"completed","output":[` + many + `]}`))
	if err == nil || !strings.Contains(err.Error(), "more than 1024 tool calls") {
		t.Errorf("got %v", err)
	}
}
