package openaitest

// Profiles are servers that deviate from the reference. Each is a row: which requests it
// refuses, with the words of the real server, and how its replies look. A refused request
// consumes no reply of the script.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Profile is a kind of server.
type Profile struct {
	Name string // unique
	Like string // servers that behave like this
	Base string // path of the base URL, default /v1
	// refuse returns the reply to a request that the server does not accept.
	refuse func(sent) (Reply, bool)
	// shape returns a reply as the server sends it.
	shape func(Reply, Request) Reply
}

// Profiles returns all profiles.
func Profiles() []Profile {
	return []Profile{
		{Name: "mistral", Like: "Mistral's API", refuse: first(refuseMistralOrder, refuseLongIDs, refuseFields("reasoning_content", "reasoning", "reasoning_details"))},
		{Name: "alternating", Like: "Mistral's templates in llama.cpp, Ollama and LM Studio", refuse: refuseAlternation},
		{Name: "no-system", Like: "Gemma in vLLM and SGLang", refuse: refuseSystem},
		{Name: "single-call", Like: "Llama 3 in vLLM", refuse: refuseSeveralCalls},
		{Name: "content-required", Like: "gateways before vLLM and SGLang", refuse: refuseNoContent},
		{Name: "content-not-empty", Like: "Claude behind gateways", refuse: refuseEmptyContent},
		{Name: "plain-schemas", Like: "OpenAI", refuse: refuseAlternatives},
		{Name: "basic-schemas", Like: "Gemini's older endpoint", refuse: refuseKeywords},
		{Name: "no-stream-options", Like: "older gateways", refuse: refuseField("stream_options", "Unknown parameter: 'stream_options'.")},
		{Name: "no-stream-with-tools", Like: "older versions of llama.cpp", refuse: refuseStreamWithTools},
		{Name: "no-parallel-tool-calls", Like: "OpenAI's o-series", refuse: refuseField("parallel_tool_calls", "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.")},
		{Name: "tools-required", Like: "Bedrock behind gateways", refuse: refuseNoTools},
		{Name: "openrouter", Like: "Gemini 3 by OpenRouter", refuse: refuseNoDetails, shape: withDetails},
		{Name: "deepseek", Like: "DeepSeek's thinking mode", refuse: refuseNoReasoning, shape: withReasoning},
		{Name: "reasoning", Like: "vLLM and Ollama", shape: withReasoningField},
		{Name: "think-tags", Like: "Qwen and MiniMax in local servers", shape: withThinkTags},
		{Name: "think-end", Like: "models whose template opens the tag", shape: withThinkEnd},
		{Name: "groq", Like: "Groq and Cerebras", refuse: refuseFields("reasoning_content", "reasoning_details", "extra_content")},
		{Name: "gemini", Like: "Gemini's compatible endpoint", Base: "/v1beta/openai", refuse: refuseNoSignature, shape: withSignature},
		{Name: "think", Like: "Qwen and DeepSeek R1 on local servers", shape: withThought},
		{Name: "cut-context", Like: "Ollama with its default context", shape: withCutContext},
		{Name: "no-usage", Like: "local servers", shape: withoutUsage},
		{Name: "tools-dropped", Like: "chat templates without tools, such as those of Phi 3.5 and SmolLM3", refuse: dropTools, shape: inForm},
		{Name: "tools-denied", Like: "the same on servers that count no tokens", refuse: denyTools, shape: inForm},
		{Name: "responses-only", Like: "OpenAI's models for the Responses API", refuse: refuseChat},
		{Name: "azure", Like: "Azure OpenAI", Base: "/openai/deployments/m", refuse: refuseBearer},
	}
}

// Serve makes the server behave like a profile.
func (s *Server) Serve(p Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.profile = p
	s.URL = s.server.URL + cmp.Or(p.Base, defaultBase)
}

const (
	defaultBase = "/v1"
	chatPath    = "/chat/completions"
)

// route gives a request to the path of the profile the path of the reference.
func (p Profile) route(r *http.Request) {
	if base := cmp.Or(p.Base, defaultBase); r.URL.Path == base+chatPath {
		r.URL.Path = defaultBase + chatPath
	}
}

// sent is a request as a profile sees it.
type sent struct {
	header   http.Header
	fields   map[string]any
	messages []message
	tools    []any
}

// message is a message of a request, with all of its fields.
type message map[string]any

func (m message) role() string { role, _ := m["role"].(string); return role }

func (m message) calls() (out []map[string]any) {
	list, _ := m["tool_calls"].([]any)
	for _, c := range list {
		call, _ := c.(map[string]any)
		out = append(out, call)
	}
	return out
}

// refused returns the reply to a request that the profile refuses.
func (p Profile) refused(header http.Header, body []byte) (Reply, bool) {
	if p.refuse == nil {
		return Reply{}, false
	}
	s := sent{header: header}
	if json.Unmarshal(body, &s.fields) != nil {
		return Reply{}, false
	}
	list, _ := s.fields["messages"].([]any)
	for _, m := range list {
		fields, _ := m.(map[string]any)
		s.messages = append(s.messages, fields)
	}
	s.tools, _ = s.fields["tools"].([]any)
	return p.refuse(s)
}

// first returns the first refusal.
func first(all ...func(sent) (Reply, bool)) func(sent) (Reply, bool) {
	return func(s sent) (Reply, bool) {
		for _, refuse := range all {
			if reply, refused := refuse(s); refused {
				return reply, true
			}
		}
		return Reply{}, false
	}
}

// refusal returns an error of a server in its own form.
func refusal(status int, body string, args ...any) (Reply, bool) {
	return Reply{Status: status, Body: fmt.Sprintf(body, args...)}, true
}

// patched returns a reply whose message, or the first chunk of it with content or calls,
// is changed.
func patched(p Reply, request Request, change func(message map[string]any)) Reply {
	if !request.Stream {
		var body map[string]any
		decode1(p.Completion(request.Model), &body)
		change(choice(body)["message"].(map[string]any))
		return Reply{Body: encode(body), Gate: p.Gate}
	}
	events := strings.SplitAfter(p.Stream(request.Model), "\n\n")
	for i, event := range events {
		var body map[string]any
		data, ok := strings.CutPrefix(strings.TrimSpace(event), "data: {")
		if !ok {
			continue
		}
		decode1("{"+data, &body)
		delta, _ := choice(body)["delta"].(map[string]any)
		if text, _ := delta["content"].(string); text != "" || delta["tool_calls"] != nil {
			change(delta)
			events[i] = "data: " + encode(body) + "\n\n"
			break
		}
	}
	return Reply{SSE: strings.Join(events, ""), Gate: p.Gate}
}

func choice(body map[string]any) map[string]any {
	list, _ := body["choices"].([]any)
	if len(list) == 0 {
		return nil
	}
	out, _ := list[0].(map[string]any)
	return out
}

// decode1 decodes what this package has encoded.
func decode1(text string, v any) {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		panic("openaitest: decoding a reply: " + err.Error())
	}
}
