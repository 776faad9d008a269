package agent

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/openai/openai-go/v3"

	"skills/internal/agent/openaitest"
)

// FuzzReadReply feeds damaged replies to the code that reads them: it gives an
// error or a message that can be sent back, never a panic, and what it passes
// on while it reads is what it returns at the end.
func FuzzReadReply(f *testing.F) {
	calls := []openaitest.Call{{ID: "c1", Name: "one", Arguments: `{"a":"ü"}`}, {ID: "c2", Name: "two", Arguments: "{}"}}
	for _, quirks := range []openaitest.Quirks{{}, {NoIDs: true, NoIndex: true}, {IndexGaps: true, RepeatName: true}, {SameIndex: true, CRLF: true}, {KeepAlive: true, NoDone: true}, {ObjectArguments: true, NullError: true}} {
		f.Add([]byte(openaitest.Reply{Text: "some text, 世界", Calls: calls, Usage: &openaitest.Usage{Input: 1, Output: 2}, Quirks: quirks}.Stream("m")), uint16(0))
	}
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"a"}],"tool_calls":[{"id":"x","function":{"name":"f","arguments":{}}},null]}}]}`), uint16(3))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1},{\"index\":5000000000},null]}}]}\n\ndata: [DONE]\n\n"), uint16(0))
	f.Add([]byte("event: error\ndata: []\n\n"), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		var shown strings.Builder
		rep, err := readReply(bytes.NewReader(data), aside{delta: func(s string) { shown.WriteString(s) }})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		if !utf8.ValidString(rep.text) {
			t.Fatalf("text is no UTF-8: %q", rep.text)
		}
		if s := shown.String(); s != "" && s != rep.text {
			t.Fatalf("passed on %q, returned %q", s, rep.text)
		}
		// The same bytes in other portions are the same reply.
		again, err := readReply(iotest.OneByteReader(bytes.NewReader(data)), aside{})
		if err != nil || again.text != rep.text || again.finish != rep.finish || !slices.Equal(again.calls, rep.calls) {
			t.Fatalf("byte by byte: got %+v, %v, want %+v", again, err, rep)
		}
		callIDs{}.fix(rep.calls)
		seen := map[string]bool{}
		for _, call := range rep.calls {
			if call.ID == "" || seen[call.ID] || !utf8.ValidString(call.ID+call.Name+call.Arguments) {
				t.Fatalf("call %+v of %+v", call, rep.calls)
			}
			seen[call.ID] = true
		}
		if _, err := new(encoder).encode(Request{Model: "m", Messages: []Message{{Role: Assistant, Text: rep.text, Calls: rep.calls}}}, 0, false, false); err != nil {
			t.Fatalf("cannot be sent back: %v", err)
		}
	})
}

func TestWholeRunes(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "ä": "ä", "a\xc3": "a", "a\xe4\xb8": "a", "a\xe4\xb8\xad": "a中", "a\xf0\x9f\x98": "a",
		"a\xff": "a\xff", "\xb8\xb8\xb8\xb8": "\xb8\xb8\xb8\xb8", "\xe4": "",
	} {
		if got := wholeRunes(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestLimitedReader(t *testing.T) {
	for limit, fails := range map[int64]bool{0: true, 9: true, 10: false, 11: false, math.MaxInt64: false} {
		r := &limitedReader{r: strings.NewReader("0123456789"), left: limit}
		err := iotest.TestReader(r, []byte("0123456789"))
		if (err != nil) != fails {
			t.Errorf("limit %d: got %v", limit, err)
		}
	}
}

func TestWireName(t *testing.T) {
	for name, want := range map[string]string{
		"load_skill": "load_skill", "": "unnamed", "a b/ü": "a_b__", strings.Repeat("x", 70): strings.Repeat("x", 64),
	} {
		if got := wireName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestWireMessages(t *testing.T) {
	data, err := encoded(new(encoder), Request{Model: "m", Tools: []Tool{{Name: "f"}}, Messages: []Message{
		{Role: System, Text: "s"}, {Role: Assistant}, {Role: "other", Text: "o\xff<"},
	}}, 1, true)
	want := `{"messages":[{"content":"s","role":"user"},{"content":"","role":"assistant"},{"content":"o�<","role":"user"}],"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"function":{"name":"f","description":"","parameters":{"properties":{},"type":"object"}},"type":"function"}]}`
	if err != nil || data != want {
		t.Errorf("got %s, %v\nwant %s", data, err, want)
	}
}

// What is sent is what the library would send.
func TestWireIsTheLibrarys(t *testing.T) {
	call := openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
		ID: "c1", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "f", Arguments: `{"a":"<ü>"}`},
	}}
	calling := openai.ChatCompletionAssistantMessageParam{}
	calling.Content.OfString = openai.String("I look.")
	calling.ToolCalls = []openai.ChatCompletionMessageToolCallUnionParam{call}
	silent := openai.ChatCompletionAssistantMessageParam{ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{call}}
	params := openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{
		openai.SystemMessage("system & \u2028"), openai.UserMessage("user\n<ü>"), {OfAssistant: &calling}, openai.ToolMessage("out", "c1"), {OfAssistant: &silent}, openai.AssistantMessage("done"),
	}}
	want, err := params.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := encoded(new(encoder), Request{Model: "m", Instructions: "system & \u2028", Messages: []Message{
		{Role: User, Text: "user\n<ü>"}, {Role: Assistant, Text: "I look.", Calls: []ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":"<ü>"}`}}},
		{Role: ToolRole, CallID: "c1", Text: "out"},
		{Role: Assistant, Calls: []ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":"<ü>"}`}}}, {Role: Assistant, Text: "done"},
	}}, 2, false)
	if err != nil || got != string(want) {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestReplaceWhole(t *testing.T) {
	for text, want := range map[string]string{
		"/home/me": "H", "/home/me/x": "H/x", "/home/melissa": "/home/melissa", "/home/me2 /home/me.": "/home/me2 H.", "a/home/me-x": "a/home/me-x",
	} {
		if got := replaceWhole(text, "/home/me", "H"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := replaceWhole("/there/x", "/there/", "T/"); got != "T/x" {
		t.Errorf("got %q", got)
	}
}

// The library's NewClient would read keys and headers from the environment.
func TestNoEnvironment(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("openai.NewClient(")) {
			t.Errorf("%s reads the environment through the library", name)
		}
	}
}
