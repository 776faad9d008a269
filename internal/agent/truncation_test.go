package agent

import (
	"strings"
	"testing"

	"skills/internal/agent/model"
)

// TestTruncation checks which counts of a server show that it shortens requests: also
// efficient vocabularies, and servers that leave out what they had in their cache, must
// not raise the warning.
func TestTruncation(t *testing.T) {
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, and then it has to think about it. ", 100) // 1,900 tokens
	user := func(text string) Message { return Message{Role: User, Source: FromUser, Text: text} }
	model1 := func(text string) Message { return Message{Role: Assistant, Source: FromModel, Text: text} }
	result := func(text string) Message { return Message{Role: ToolRole, Text: text, CallID: "a"} }
	long := Request{Instructions: strings.Repeat(prose, 4), Messages: []Message{user("Summarise it, please."), model1("I look."), result("short"), model1("More."), result(prose)}}
	one := Request{Messages: []Message{user(strings.Repeat(prose, 5))}}
	reasoning := Request{Messages: []Message{user("go"), {Role: Assistant, Text: "ok", Reasoning: strings.Repeat(prose, 5)}, user("more")}}
	tool := []RequestTool{{Name: "f"}}
	ollama := model.Recognise("http://localhost:11434/v1", "")
	for _, test := range []struct {
		name    string
		request Request
		usage   *Usage
		apart   int64
		kind    model.Kind
		text    string // of the answer
		cut     bool
	}{
		{"whole", long, &Usage{InputTokens: 9600}, 0, ollama, "", false},
		{"efficient vocabulary", long, &Usage{InputTokens: 6500}, 0, ollama, "", false},
		{"cut to 4,096", long, &Usage{InputTokens: 4096}, 0, ollama, "", true},
		{"cut, with a cache", long, &Usage{InputTokens: 4096, CachedTokens: 3000}, 0, ollama, "", true},
		{"cached apart", long, &Usage{InputTokens: 4096}, 5600, model.Kind{}, "", false},
		{"cached, in or apart", long, &Usage{InputTokens: 4096, CachedTokens: 4000}, 0, model.Kind{}, "", false},
		{"only what is new", long, &Usage{InputTokens: 2000}, 0, ollama, "", false},
		{"all cached", long, &Usage{InputTokens: 1}, 0, ollama, "", false},
		{"one message", one, &Usage{InputTokens: 9000}, 0, model.Kind{}, "", false},
		{"one message, cut", one, &Usage{InputTokens: 4000}, 0, model.Kind{}, "", true},
		{"template drops reasoning", reasoning, &Usage{InputTokens: 230}, 0, ollama, "", false},
		{"small", Request{Instructions: "be brief", Messages: []Message{user("hi")}}, &Usage{InputTokens: 3}, 0, ollama, "", false},
		{"denied", Request{Instructions: prose + prose, Tools: tool, Messages: one.Messages}, nil, 0, ollama, "I don't have access to any tools.", true},
		{"denied, but counted", Request{Instructions: prose, Tools: tool}, &Usage{InputTokens: 2000}, 0, ollama, "I don't have access to any tools.", false},
		{"denied, short", Request{Instructions: "x", Tools: tool}, nil, 0, ollama, "No tools are available.", false},
		{"denied, none sent", one, nil, 0, ollama, "I don't have access to any tools.", false},
		{"answer", Request{Instructions: prose + prose, Tools: tool}, nil, 0, ollama, "The skills are fine, and tools are sharp.", false},
	} {
		w := contextWindow{}
		warning, size := w.check(test.request, Reply{Usage: test.usage, Apart: test.apart, Text: test.text}, test.kind)
		if (warning != "") != test.cut {
			t.Errorf("%s: %d tokens sent, got %q", test.name, requestTokens(test.request), warning)
			continue
		}
		if test.cut && test.usage != nil && size != test.usage.InputTokens {
			t.Errorf("%s: size %d", test.name, size)
		}
		again, _ := w.check(test.request, Reply{Usage: test.usage, Text: test.text}, test.kind)
		if test.cut && again != "" {
			t.Errorf("%s: reported again", test.name)
		}
		if test.kind.Name != "" && test.cut && !strings.Contains(warning, "OLLAMA_CONTEXT_LENGTH=") {
			t.Errorf("%s: %s", test.name, warning)
		}
	}
}
