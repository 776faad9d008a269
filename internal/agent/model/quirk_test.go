package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// clientOf returns a client whose requests have what a row changes.
func clientOf(row string) *Client {
	server := Server{APIKey: "key"}
	if row != "responses" && slices.ContainsFunc(responsesQuirks, func(q quirk) bool { return q.name == row }) {
		server.API = ResponsesAPI
	}
	return &Client{options: Options{Server: server}}
}

// rich is a request that every row changes.
func rich() Request {
	calls := Message{Role: Assistant, Source: FromModel, Text: "I look.", Reasoning: "hm", Calls: []ToolCall{
		{ID: "call_1", Name: "f", Arguments: "{}"}, {ID: "call_2", Name: "f", Arguments: "{}", Extra: `{"google":{}}`},
	}}
	plain := Message{Role: Assistant, Source: FromModel, Calls: []ToolCall{{ID: "call_3", Name: "f"}}}
	plain.Items = []Item{{Type: "reasoning", ID: "rs_1", Reasoning: `{"id":"rs_1","summary":[],"encrypted_content":"x"}`}, {Type: "function_call", ID: "fc_1"}}
	return Request{
		Model: "m", Instructions: "Be brief.",
		Messages: []Message{said("go"), calls, result("call_1", "one"), result("call_2", ""), plain, withImage(result("call_3", "three"))},
		Tools: []Tool{{Name: "查询_f", Schema: map[string]any{"type": "object"}}, {Name: "f", Schema: map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{
			"a": map[string]any{"description": "An a."}, "b": map[string]any{"type": "array", "minItems": 1.0},
		}}}},
		Params: Params{
			"temperature": json.RawMessage("0"), "top_p": json.RawMessage("1"), "response_format": json.RawMessage(`{"type":"json_schema"}`),
			"parallel_tool_calls": json.RawMessage("true"), "max_tokens": json.RawMessage("9"), "max_completion_tokens": json.RawMessage("9"),
		},
	}
}

// withImage returns a result with an image.
func withImage(m Message) Message {
	m.Parts = []Part{{Name: "p.png", Type: "image/png", Size: 1, Data: []byte("x"), Tool: "f"}}
	return m
}

// TestWords checks which row the words of servers lead to. The words are quoted from
// reports about these servers.
func TestWords(t *testing.T) {
	for _, tt := range []struct {
		server string
		status int
		body   string
		want   string // "" for none
	}{
		{"OpenAI, older gateways", 400, `{"error":{"message":"Unknown parameter: 'stream_options'.","type":"invalid_request_error","param":"stream_options","code":"unknown_parameter"}}`, "stream_options"},
		{"OpenAI", 400, `{"error":{"message":"Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.","type":"invalid_request_error","param":"tools[0].function.name","code":"invalid_value"}}`, "tool_names"},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"}}`, "tool_names"},
		{"Gemini", 400, `{"error":{"code":400,"message":"Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64."}}`, "tool_names"},
		{"Azure AI inference", 400, `{"detail":"Extra parameters ['stream_options'] are not allowed when extra-parameters is not set or set to be 'error'."}`, "stream_options"},
		{"OpenAI o1", 400, `{"error":{"message":"Unsupported value: 'stream' does not support true with this model. Only the default (false) value is supported."}}`, "stream"},
		{"llama.cpp", 500, `{"error":{"code":500,"message":"Cannot use tools with stream","type":"server_error"}}`, "stream_with_tools"},
		{"a proxy", 406, ``, "stream_status"},
		{"Azure", 401, `{ "statusCode": 401, "message": "Access denied due to missing subscription key. Make sure to include subscription key when making requests to an API." }`, "key_header"},
		{"Azure", 401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`, "key_header"},
		{"OpenAI", 401, `{"error":{"message":"Incorrect API key provided: sk-x."}}`, ""},
		{"vLLM, SGLang", 400, `{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`, "system"},
		{"llama.cpp", 500, `{"error":{"code":500,"message":"\n------------\nWhile executing CallExpression\nError: Jinja Exception: System role not supported","type":"server_error"}}`, "system"},
		{"LM Studio, in a stream", 0, `{"error":"Error rendering prompt with jinja template: \"System role not supported\"."}`, "system"},
		{"TGI", 422, `{"error":"Template error: invalid operation: System role not supported (in <string>:1)","error_type":"template_error"}`, "system"},
		{"OpenAI o1-mini", 400, `{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","param":"messages[0].role","code":"unsupported_value"}}`, "system"},
		{"Gemini, Gemma", 400, `[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`, "system"},
		{"OpenAI", 400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error"}}`, "images"},
		{"DeepSeek", 400, "{\"error\":{\"message\":\"Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text`\"}}", "images"},
		{"llama.cpp", 500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, "images"},
		{"vLLM", 400, `{"object":"error","message":"m is not a multimodal model","type":"BadRequestError","code":400}`, "images"},
		{"OpenRouter", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, "images"},
		{"vLLM, Llama 3", 400, `{"object":"error","message":"This model only supports single tool-calls at once!","type":"BadRequestError","code":400}`, "single_calls"},
		{"Mistral", 400, `{"object":"error","message":"Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280"}`, "call_ids"},
		{"Mistral", 400, `{"object":"error","message":"Assistant message must have either content or tool_calls, but not both.","type":"invalid_request_error"}`, "text_with_calls"},
		{"LM Studio, GPT-OSS", 400, `{"error":"Error rendering prompt with jinja template: \"Cannot pass both content and thinking in an assistant message with tool calls!\"."}`, "text_with_calls"},
		{"Anthropic by gateways", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages: text content blocks must be non-empty"}}`, "empty_content"},
		{"Bedrock", 400, `{"message":"The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text field, and try again."}`, "empty_content"},
		{"Gemini", 400, `[{"error":{"message":"* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty."}}]`, "result_names"},
		{"DeepSeek", 400, "{\"error\":{\"message\":\"Missing `reasoning_content` field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls\"}}", "reasoning_content"},
		{"Kimi", 400, `{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"}}`, "reasoning_content"},
		{"Gemini", 400, "[{\"error\":{\"code\":400,\"message\":\"Function call is missing a thought_signature in functionCall parts. Additional data, function call `default_api:f` , position 2.\"}}]", "thought_signature"},
		{"OpenRouter, Gemini", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"Gemini models require OpenRouter reasoning details to be preserved in each request. Upstream error: {\n \"error\": {\n \"message\": \"Function call is missing a thought_signature in functionCall parts."}}}`, "thought_signature"},
		{"Groq", 400, `{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}`, "no_reasoning"},
		{"Groq", 400, `{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning' is unsupported, did you mean 'role'?)]"}}`, "no_reasoning"},
		{"Cerebras", 400, `{"message":"messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported","type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}`, "no_reasoning"},
		{"Mistral", 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"hm"}]},"type":"invalid_request_error"}`, "no_reasoning"},
		{"Cohere", 422, `{"message":"unknown field: parameter 'reasoning_content' is not a valid field. For proper usage, please refer to https://docs.cohere.com/reference/chat"}`, "no_reasoning"},
		{"Bedrock", 400, `{"message":"The toolConfig field must be defined when using toolUse and toolResult content blocks."}`, "tools_required"},
		{"LiteLLM, Anthropic", 400, "{\"error\":{\"message\":\"litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in.\"}}", "tools_required"},
		{"Gemini", 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field."}}]`, "schemas"},
		{"Gemini", 400, `{"error":{"message":"Unable to submit request because f functionDeclaration parameters.a schema didn't specify the schema type field."}}`, "schemas"},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"JSON schema conversion failed:\nUnrecognized schema: {\"description\":\"An a.\"}","type":"invalid_request_error"}}`, "schemas"},
		{"OpenAI", 400, `{"error":{"message":"Invalid schema for function 'f': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.","param":"tools[0].function.parameters"}}`, "schemas"},
		{"DeepSeek", 400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`, "json_schema"},
		{"Groq", 400, `{"error":{"message":"json mode cannot be combined with tool/function calling"}}`, "response_format"},
		{"Gemini", 400, `[{"error":{"message":"Function calling with a response mime type: 'application/json' is unsupported"}}]`, "response_format"},
		{"OpenAI o4-mini", 400, `{"error":{"message":"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.","param":"parallel_tool_calls","code":"unsupported_parameter"}}`, "parallel_tool_calls"},
		{"OpenAI", 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`, "max_completion_tokens"},
		{"Mistral", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":9}]}`, "max_tokens"},
		{"OpenAI", 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."}}`, "temperature"},
		{"Anthropic", 400, "{\"error\":{\"message\":\"`temperature` and `top_p` cannot both be specified for this model. Please use only one.\"}}", "temperature"},
		{"OpenAI, gpt-5-pro", 404, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","type":"invalid_request_error","param":"model","code":null}}`, "responses"},
		{"OpenAI, codex models", 404, `{"error":{"message":"This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?"}}`, "responses"},
		{"OpenAI", 400, `{"error":{"message":"Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead."}}`, "responses"},
		{"GitHub", 400, `{"error":{"message":"model m is not accessible via the /chat/completions endpoint","code":"unsupported_api_for_model"}}`, "responses"},
		{"a gateway", 400, `{"error":{"message":"m is only available through the Responses API"}}`, "responses"},
		{"OpenAI", 404, `{"error":{"message":"The model m does not exist or you do not have access to it.","code":"model_not_found"}}`, ""},
		{"any", 404, `404 page not found`, ""},
		{"OpenAI, gpt-4.1", 400, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`, "include"},
		{"a gateway", 400, `{"error":{"message":"Unknown parameter: 'store'."}}`, "store"},
		{"OpenAI, Azure", 404, "{\"error\":{\"message\":\"Item with id 'rs_688404f6' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.\"}}", "item_ids"},
		{"OpenAI", 400, `{"error":{"message":"The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.","code":"invalid_encrypted_content"}}`, "items"},
		{"OpenAI", 400, `{"error":{"message":"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'."}}`, "items"},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"item['content'] is not an array","type":"invalid_request_error"}}`, "items"},
		{"any, overloaded", 503, `{"error":{"message":"overloaded"}}`, ""},
		{"any, too many requests", 429, `{"error":{"message":"tools: rate limit of stream_options"}}`, ""},
		{"Mistral", 400, `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}`, ""},
	} {
		t.Run(tt.server+": "+tt.want, func(t *testing.T) {
			c := clientOf(tt.want)
			r := rich()
			if tt.want == "tools_required" {
				r.Tools, r.Withheld = nil, r.Tools
			}
			if tt.want == "max_tokens" || tt.want == "max_completion_tokens" {
				delete(r.Params, tt.want)
			}
			row, ok := c.next(r, &Error{Status: tt.status, body: tt.body}, 0)
			got := ""
			if ok {
				got = quirks[row].name
			}
			if got != tt.want {
				t.Fatalf("row %q, want %q", got, tt.want)
			}
			if ok {
				if again, ok := c.next(r, &Error{Status: tt.status, body: tt.body}, 1<<row); ok && again == row {
					t.Error("the row is used twice")
				}
			}
		})
	}
}

// TestChanges checks what each row changes, that it leaves the request itself alone, and
// that a request without the quirk is not sent again.
func TestChanges(t *testing.T) {
	if len(quirks) > 64 {
		t.Fatalf("%d rows do not fit a set", len(quirks))
	}
	names := map[string]bool{}
	bare := Request{Model: "m", Messages: []Message{said("go")}}
	for i, q := range quirks {
		t.Run(q.name, func(t *testing.T) {
			c := clientOf(q.name)
			if names[q.name] || q.name == "" || q.change == "" || q.adapt == nil && q.fields == nil {
				t.Errorf("incomplete, or not unique: %+v", q)
			}
			names[q.name] = true
			r := rich()
			if q.name == "tools_required" {
				r.Tools, r.Withheld = nil, r.Tools
			}
			before := fmt.Sprintf("%+v", r)
			if !c.differs(r, 0, 1<<i) {
				t.Error("changes nothing")
			}
			changed, e := adaptations(1<<i).apply(r, c.envelope())
			if after := fmt.Sprintf("%+v", r); after != before {
				t.Errorf("the request was changed\nfrom %s\nto   %s", before, after)
			}
			if again, _ := adaptations(1<<i).apply(changed, c.envelope()); string(bodyOf(again, e)) != string(bodyOf(changed, e)) {
				t.Error("changes what is changed")
			}
			if q.fields == nil && c.differs(bare, 0, 1<<i) {
				t.Error("changes a request without anything of it")
			}
		})
	}
}

// sentWith returns the JSON of the messages and tools of a request with a row.
func sentWith(t *testing.T, r Request, name string) (messages []map[string]any, tools string) {
	t.Helper()
	row := slices.IndexFunc(quirks, func(q quirk) bool { return q.name == name })
	sent, _ := adaptations(1<<row).apply(r, envelope{})
	raw, err := newParams(sent, false, false).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Messages []map[string]any
		Tools    json.RawMessage
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	return body.Messages, string(body.Tools)
}

// TestChangedMessages checks the form of messages after a change.
func TestChangedMessages(t *testing.T) {
	order := func(messages []map[string]any) string {
		var out []string
		for _, m := range messages {
			calls, _ := m["tool_calls"].([]any)
			out = append(out, fmt.Sprintf("%v%s", m["role"], strings.Repeat("+", len(calls))))
		}
		return strings.Join(out, " ")
	}
	messages, _ := sentWith(t, rich(), "single_calls")
	if got := order(messages); got != "system user assistant+ tool assistant+ tool assistant+ tool assistant user" || messages[2]["content"] != "I look." || messages[4]["content"] != "" || messages[4]["reasoning_content"] != nil {
		t.Errorf("one call a message: %s, %v", got, messages)
	}
	messages, _ = sentWith(t, rich(), "system")
	if got := order(messages); got != "user assistant++ tool tool assistant+ tool assistant user" || messages[0]["content"] != "Be brief.\n\ngo" {
		t.Errorf("no system role: %s, %v", got, messages)
	}
	messages, _ = sentWith(t, rich(), "call_ids")
	calls := messages[2]["tool_calls"].([]any)
	if id := calls[0].(map[string]any)["id"].(string); len(id) != shortID || messages[3]["tool_call_id"] != id || messages[4]["tool_call_id"] == id {
		t.Errorf("short ids: %v", messages)
	}
	messages, _ = sentWith(t, rich(), "empty_content")
	if content, ok := messages[5]["content"]; !ok || content != nil || messages[4]["content"] != emptyText || messages[2]["content"] != "I look." {
		t.Errorf("no empty content: %v", messages)
	}
	messages, _ = sentWith(t, rich(), "text_with_calls")
	if content, ok := messages[2]["content"]; !ok || content != nil {
		t.Errorf("no text beside calls: %v", messages)
	}
	messages, _ = sentWith(t, rich(), "reasoning_content")
	if messages[2]["reasoning_content"] != "hm" || messages[5]["reasoning_content"] != "" {
		t.Errorf("reasoning: %v", messages)
	}
	messages, _ = sentWith(t, rich(), "no_reasoning")
	if text := fmt.Sprint(messages); strings.Contains(text, "hm") || strings.Contains(text, "google") {
		t.Errorf("no reasoning: %v", messages)
	}
	messages, _ = sentWith(t, rich(), "result_names")
	if messages[3]["name"] != "f" {
		t.Errorf("names: %v", messages)
	}
	_, tools := sentWith(t, rich(), "schemas")
	if want := `"properties":{"a":{"description":"An a.","type":"string"},"b":{"items":{"type":"string"},"type":"array"}},"type":"object"}`; !strings.Contains(tools, want) || strings.Contains(tools, "additional") {
		t.Errorf("schemas: %s", tools)
	}
	r := rich()
	r.Tools, r.Withheld = nil, r.Tools
	if _, tools := sentWith(t, r, "tools_required"); !strings.Contains(tools, `"name":"f"`) {
		t.Errorf("tools: %s", tools)
	}
}

// TestAdaptedPrefix checks that a request is the beginning of the next one with every row.
func TestAdaptedPrefix(t *testing.T) {
	whole := rich()
	for _, q := range quirks {
		if q.adapt == nil {
			continue
		}
		all, _ := sentWith(t, whole, q.name)
		part := whole
		part.Messages = whole.Messages[:4]
		some, _ := sentWith(t, part, q.name)
		for i, m := range some {
			if fmt.Sprint(m) != fmt.Sprint(all[i]) {
				t.Errorf("%s: message %d is %v, and later %v", q.name, i, m, all[i])
			}
		}
	}
}

// TestDocumented checks that docs/servers.md has each change in its table, and no other.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| the server refuses | sending again … |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var got, want []string
	for _, row := range strings.Split(table, "\n")[1:] {
		got = append(got, strings.TrimSpace(strings.Split(row, "|")[2]))
	}
	for _, q := range quirks {
		if !slices.Contains(want, q.change) {
			want = append(want, q.change)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/servers.md has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWordsOfAnother checks that the words of the server behind a gateway are shown.
func TestWordsOfAnother(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"no such thing\"}}","provider_name":"x"}}}`: "Provider returned error: no such thing",
		`{"error":{"message":"Provider returned error","metadata":{"raw":"plain words"}}}`:                                                                "Provider returned error: plain words",
		`{"error":{"message":"alone","metadata":{}}}`:                                                                                                     "alone",
	} {
		if got := serverText(body); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestRemember checks that names of rows survive, and unknown ones are ignored.
func TestRemember(t *testing.T) {
	c := &Client{}
	c.Remember([]string{"system", "unheard", "stream_options"})
	if got := c.Quirks(); !slices.Equal(got, []string{"stream_options", "system"}) {
		t.Errorf("got %q", got)
	}
	if !mayBeForm(http.StatusBadRequest) || mayBeForm(http.StatusTooManyRequests) {
		t.Error("the wrong status")
	}
}
