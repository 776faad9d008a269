package openaitest

// What the profiles refuse and how they reply. The words are those of the servers.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// refuseMistralOrder refuses the orders of roles that Mistral's API refuses.
func refuseMistralOrder(s sent) (Reply, bool) {
	const words = `{"object":"error","message":"Unexpected role '%s' after role '%s'","type":"invalid_request_message_order","param":null,"code":"3230"}`
	before := ""
	for i, m := range s.messages {
		role := m.role()
		isSystem := role == "system" && i > 0
		again := role == "user" && (before == "user" || before == "tool")
		if isSystem || again {
			return refusal(http.StatusBadRequest, words, role, before)
		}
		before = role
	}
	if before == "assistant" {
		return refusal(http.StatusBadRequest, `{"object":"error","message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant","type":"invalid_request_message_order","param":null,"code":"3230"}`)
	}
	return Reply{}, false
}

var nineCharacters = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

func refuseLongIDs(s sent) (Reply, bool) {
	for _, m := range s.messages {
		for _, c := range m.calls() {
			if id, _ := c["id"].(string); !nineCharacters.MatchString(id) {
				return refusal(http.StatusBadRequest, `{"object":"error","message":"Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280"}`, id)
			}
		}
	}
	return Reply{}, false
}

// refuseFields refuses fields of messages and calls that the server does not know.
func refuseFields(names ...string) func(sent) (Reply, bool) {
	return func(s sent) (Reply, bool) {
		for i, m := range s.messages {
			for _, name := range names {
				has := m[name] != nil
				for _, c := range m.calls() {
					has = has || c[name] != nil
				}
				if has {
					return refusal(http.StatusBadRequest, `{"error":{"message":"'messages.%d' : for 'role:%s' the following must be satisfied[('messages.%d' : property '%s' is unsupported)]","type":"invalid_request_error"}}`, i, m.role(), i, name)
				}
			}
		}
		return Reply{}, false
	}
}

// refuseAlternation is the check of templates that want users and models to alternate.
func refuseAlternation(s sent) (Reply, bool) {
	want := "user"
	for _, m := range s.messages {
		role := m.role()
		asks := role == "assistant" && len(m.calls()) > 0
		if role == "system" || role == "tool" || asks {
			continue
		}
		if role != want {
			return refusal(http.StatusInternalServerError, `{"error":{"code":500,"message":"Error: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.","type":"server_error"}}`)
		}
		want = map[string]string{"user": "assistant", "assistant": "user"}[role]
	}
	return Reply{}, false
}

func refuseSystem(s sent) (Reply, bool) {
	if slices.ContainsFunc(s.messages, func(m message) bool { return m.role() == "system" }) {
		return refusal(http.StatusBadRequest, `{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`)
	}
	return Reply{}, false
}

func refuseSeveralCalls(s sent) (Reply, bool) {
	if slices.ContainsFunc(s.messages, func(m message) bool { return len(m.calls()) > 1 }) {
		return refusal(http.StatusBadRequest, `{"object":"error","message":"This model only supports single tool-calls at once!","type":"BadRequestError","param":null,"code":400}`)
	}
	return Reply{}, false
}

func refuseNoContent(s sent) (Reply, bool) {
	for i, m := range s.messages {
		if m["content"] == nil {
			return refusal(http.StatusUnprocessableEntity, `{"detail":[{"type":"missing","loc":["body","messages",%d,"content"],"msg":"Field required"}]}`, i)
		}
	}
	return Reply{}, false
}

func refuseEmptyContent(s sent) (Reply, bool) {
	if slices.ContainsFunc(s.messages, func(m message) bool { return m["content"] == "" }) {
		return refusal(http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"messages: text content blocks must be non-empty"}}`)
	}
	return Reply{}, false
}

// refuseAlternatives refuses tools whose schemas are not plain.
func refuseAlternatives(s sent) (Reply, bool) {
	for i, tool := range s.tools {
		found := ""
		eachSchema(tool, func(schema map[string]any) {
			for _, key := range []string{"anyOf", "oneOf", "allOf", "$ref", "$schema", "not"} {
				if schema[key] != nil {
					found = key
				}
			}
			if _, several := schema["type"].([]any); several {
				found = "type"
			}
		})
		if found != "" {
			return refusal(http.StatusBadRequest, `{"error":{"message":"Invalid schema for function: schema must have type 'object' and not have '%s'.","type":"invalid_request_error","param":"tools[%d].function.parameters","code":"invalid_function_parameters"}}`, found, i)
		}
	}
	return Reply{}, false
}

// refuseKeywords refuses what is not in the schemas of Gemini's API.
func refuseKeywords(s sent) (Reply, bool) {
	for i, tool := range s.tools {
		found := ""
		eachSchema(tool, func(schema map[string]any) {
			for key := range schema {
				if !slices.Contains([]string{"type", "description", "properties", "required", "items", "enum"}, key) {
					found = key
				}
			}
		})
		if found != "" {
			return refusal(http.StatusBadRequest, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"%s\" at 'tools[0].function_declarations[%d].parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}]`, found, i)
		}
	}
	return Reply{}, false
}

// eachSchema calls visit with each schema of a tool.
func eachSchema(tool any, visit func(map[string]any)) {
	var walk func(v any)
	walk = func(v any) {
		schema, ok := v.(map[string]any)
		if !ok {
			return
		}
		visit(schema)
		walk(schema["items"])
		walk(schema["additionalProperties"])
		properties, _ := schema["properties"].(map[string]any)
		for _, member := range properties {
			walk(member)
		}
	}
	fields, _ := tool.(map[string]any)
	function, _ := fields["function"].(map[string]any)
	walk(function["parameters"])
}

// refuseField refuses a field of the request.
func refuseField(name, words string) func(sent) (Reply, bool) {
	return func(s sent) (Reply, bool) {
		if s.fields[name] == nil {
			return Reply{}, false
		}
		return refusal(http.StatusBadRequest, `{"error":{"message":"%s","type":"invalid_request_error","param":"%s","code":"unsupported_parameter"}}`, words, name)
	}
}

func refuseStreamWithTools(s sent) (Reply, bool) {
	if s.fields["stream"] == true && len(s.tools) > 0 {
		return refusal(http.StatusInternalServerError, `{"error":{"code":500,"message":"Cannot use tools with stream","type":"server_error"}}`)
	}
	return Reply{}, false
}

// refuseNoTools refuses a conversation with calls that offers no tools.
func refuseNoTools(s sent) (Reply, bool) {
	if len(s.tools) == 0 && slices.ContainsFunc(s.messages, func(m message) bool { return len(m.calls()) > 0 }) {
		return refusal(http.StatusBadRequest, `{"error":{"message":"ValidationException: The toolConfig field must be defined when using toolUse and toolResult content blocks.","code":400}}`)
	}
	return Reply{}, false
}

// thought is the reasoning before a call, and signatureOf its signature.
func thought(id any) string     { return fmt.Sprintf("I think before %v.", id) }
func signatureOf(id any) string { return fmt.Sprintf("signature of %v", id) }

// detailsOf are the reasoning details before a call.
func detailsOf(id any) []any {
	return []any{
		map[string]any{"type": "reasoning.text", "text": thought(id), "format": "google-gemini-v1", "index": 0.0},
		map[string]any{"type": "reasoning.encrypted", "data": signatureOf(id), "id": id, "format": "google-gemini-v1", "index": 1.0},
	}
}

func withDetails(p Reply, request Request) Reply {
	if len(p.Calls) == 0 {
		return p
	}
	id := p.Calls[0].ID
	return patched(p, request, func(message map[string]any) {
		message["reasoning"], message["reasoning_details"] = thought(id), detailsOf(id)
	})
}

func refuseNoDetails(s sent) (Reply, bool) {
	for i, m := range s.messages {
		calls := m.calls()
		if len(calls) > 0 && encode(m["reasoning_details"]) != encode(detailsOf(calls[0]["id"])) && !isPlaceholder(calls[0]) {
			return refusal(http.StatusBadRequest, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"Gemini models require OpenRouter reasoning details to be preserved in each request. Upstream error: {\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"Function call is missing a thought_signature in functionCall parts. Additional data, position %d.\"}}","provider_name":"Google AI Studio"}}}`, i)
		}
	}
	return Reply{}, false
}

func withReasoning(p Reply, _ Request) Reply {
	if len(p.Calls) > 0 {
		p.Reasoning = thought(p.Calls[0].ID)
	}
	return p
}

func withReasoningField(p Reply, request Request) Reply {
	return patched(p, request, func(message map[string]any) { message["reasoning"] = "I think." })
}

// withThinkTags has the reasoning in the content, which a stream cuts anywhere.
func withThinkTags(p Reply, _ Request) Reply { return inPieces(p, "<think>\nI think.\n</think>\n\n") }

func withThinkEnd(p Reply, _ Request) Reply { return inPieces(p, "I think.\n</think>\n\n") }

func inPieces(p Reply, start string) Reply {
	p.Text = start + p.Text
	for piece := range slices.Chunk([]rune(p.Text), 3) {
		p.Pieces = append(p.Pieces, string(piece))
	}
	return p
}

// refuseNoReasoning refuses messages with calls without the reasoning before them.
func refuseNoReasoning(s sent) (Reply, bool) {
	for i, m := range s.messages {
		if _, ok := m["reasoning_content"]; len(m.calls()) > 0 && !ok {
			return refusal(http.StatusBadRequest, "{\"error\":{\"message\":\"Missing `reasoning_content` field in the assistant message at message index %d. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_request_error\"}}", i)
		}
	}
	return Reply{}, false
}

func withSignature(p Reply, _ Request) Reply {
	p.Calls = slices.Clone(p.Calls)
	if len(p.Calls) > 0 {
		p.Calls[0].Extra = encode(map[string]any{"google": map[string]any{"thought_signature": signatureOf(p.Calls[0].ID)}})
	}
	return p
}

// refuseNoSignature refuses messages with calls of which the first has no signature.
func refuseNoSignature(s sent) (Reply, bool) {
	for i, m := range s.messages {
		calls := m.calls()
		if len(calls) > 0 && signature(calls[0]) != signatureOf(calls[0]["id"]) && !isPlaceholder(calls[0]) {
			return refusal(http.StatusBadRequest, "[{\"error\":{\"code\":400,\"message\":\"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `default_api:f` , position %d.\",\"status\":\"INVALID_ARGUMENT\"}}]", i)
		}
	}
	return refuseKeywords(s)
}

func signature(call map[string]any) string {
	extra, _ := call["extra_content"].(map[string]any)
	google, _ := extra["google"].(map[string]any)
	text, _ := google["thought_signature"].(string)
	return text
}

// isPlaceholder reports whether a call has the signature that Google documents for calls
// of other models.
func isPlaceholder(call map[string]any) bool {
	return signature(call) == "skip_thought_signature_validator"
}

// withThought puts the reasoning into the content, in pieces that split its tags.
func withThought(p Reply, _ Request) Reply {
	p.Text = "<think>\nThe user wants it. {\"name\": \"none\"}\n</think>\n\n" + p.Text
	p.Pieces = nil
	for piece := range slices.Chunk([]rune(p.Text), 5) {
		p.Pieces = append(p.Pieces, string(piece))
	}
	return p
}

// smallContext is the context of a server that cuts requests in silence, in tokens.
const smallContext = 400

// withCutContext reports fewer tokens than were sent.
func withCutContext(p Reply, request Request) Reply {
	p.Usage = &Usage{Input: min(int64(len(request.Body)/4), smallContext), Output: 9}
	return p
}

func withoutUsage(p Reply, _ Request) Reply {
	p.Usage = nil
	return p
}

// refuseBearer refuses requests without the header of Azure.
func refuseBearer(s sent) (Reply, bool) {
	if s.header.Get("api-key") == "" {
		return refusal(http.StatusUnauthorized, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."}}`)
	}
	return Reply{}, false
}

// refuseChat refuses chat completions.
func refuseChat(s sent) (Reply, bool) {
	if s.messages != nil {
		return refusal(http.StatusNotFound, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","type":"invalid_request_error","param":"model","code":null}}`)
	}
	return Reply{}, false
}

// dropTools answers a request with tools as a model that does not see them. The count of
// the tokens is without them.
func dropTools(s sent) (Reply, bool) {
	if len(s.tools) == 0 {
		return Reply{}, false
	}
	const bytesPerToken = 4
	return Reply{Text: "You could look it up in a table.", Usage: &Usage{Input: int64(len(encode(s.messages)) / bytesPerToken), Output: 9}}, true
}

// denyTools answers a request with tools as a model that does not see them and says so.
func denyTools(s sent) (Reply, bool) {
	return Reply{Text: "I'm sorry, but I don't have access to any tools."}, len(s.tools) > 0
}

// inForm writes a reply to a request without tools as JSON, as a server that holds the reply
// to a schema does.
func inForm(p Reply, request Request) Reply {
	if len(request.Tools) > 0 {
		return p
	}
	calls := []any{}
	for _, c := range p.Calls {
		calls = append(calls, map[string]any{"name": c.Name, "arguments": json.RawMessage(c.Arguments)})
	}
	form := map[string]any{"answer": p.Text}
	if len(calls) > 0 {
		form = map[string]any{"calls": calls}
	}
	p.Text, p.Calls = encode(form), nil
	return p
}
