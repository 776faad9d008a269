package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"skills/internal/testing/openaitest"
)

// FuzzReadReply feeds damaged replies to the code that reads them: it gives an
// error or a message that can be sent back, never a panic, and what it passes
// on while it reads is what it returns at the end.
func FuzzReadReply(f *testing.F) {
	calls := []openaitest.Call{{ID: "c1", Name: "one", Arguments: `{"a":"ü"}`}, {ID: "c2", Name: "two", Arguments: "{}"}}
	for _, quirks := range []openaitest.Quirks{{}, {NoIDs: true, NoIndex: true}, {Indexes: openaitest.Indexes{IndexGaps: true}, RepeatName: true}, {Indexes: openaitest.Indexes{SameIndex: true}, CRLF: true}, {KeepAlive: true, NoDone: true}, {ObjectArguments: true, NullError: true}} {
		f.Add([]byte(openaitest.Reply{Text: "some text, 世界", Calls: calls, Usage: &openaitest.Usage{Input: 1, Output: 2}, Quirks: quirks}.Stream("m")), uint16(0))
	}
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"a"}],"tool_calls":[{"id":"x","function":{"name":"f","arguments":{}}},null]}}]}`), uint16(3))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1},{\"index\":5000000000},null]}}]}\n\ndata: [DONE]\n\n"), uint16(0))
	for _, quirks := range []openaitest.Quirks{{}, {NoIDs: true}, {ItemQuirks: openaitest.ItemQuirks{NoDeltas: true}}, {ItemQuirks: openaitest.ItemQuirks{EndOnly: true}}, {ItemQuirks: openaitest.ItemQuirks{NoOutput: true}, CRLF: true}} {
		f.Add([]byte(openaitest.Reply{Text: "some text, 世界", Reasoning: "why", Calls: calls, Usage: &openaitest.Usage{Input: 1, Output: 2}, Quirks: quirks}.ResponsesStream("m")), uint16(0))
	}
	f.Add([]byte(openaitest.Reply{Text: "<think>I add. </think>\n\n4, or </think>\n\n5"}.Stream("m")), uint16(0))
	f.Add([]byte(openaitest.Reply{Text: "I add.\n</think>\n\n4"}.Stream("m")), uint16(0))
	f.Add([]byte(`data: {"choices":[{"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0},1,{"data":{}}],"extra_content":{"a":{}}}}]}`+"\n\ndata: [DONE]\n\n"), uint16(0))
	f.Add([]byte("{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"\x80\"}]}}]}"), uint16(0))
	f.Add([]byte("event: error\ndata: []\n\n"), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		var shown strings.Builder
		reader := &replyReader{observer: Observer{OnDelta: func(s string) { shown.WriteString(s) }}, onEvent: func(bool) {}}
		rep, err := reader.read(bytes.NewReader(data))
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		if !utf8.ValidString(rep.Text) {
			t.Fatalf("text is no UTF-8: %q", rep.Text)
		}
		if s := shown.String(); s != "" && s != rep.Text && !reader.unopened {
			t.Fatalf("passed on %q, returned %q", s, rep.Text)
		}
		// The same bytes in other portions are the same reply.
		again, err := ReadReply(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || again.Text != rep.Text || again.Reasoning != rep.Reasoning || again.Finish != rep.Finish || !slices.Equal(again.Calls, rep.Calls) {
			t.Fatalf("byte by byte: got %+v, %v, want %+v", again, err, rep)
		}
		for _, call := range rep.Calls {
			if !utf8.ValidString(call.ID + call.Name + call.Arguments) {
				t.Fatalf("call %+v of %+v", call, rep.Calls)
			}
		}
		again.Items = rep.Items
		for _, item := range again.Items {
			if !utf8.ValidString(item.ID + item.Phase) {
				t.Fatalf("item %+v", item)
			}
		}
		body, _ := responsesProtocol{}.request(Request{Model: "m", Messages: []Message{{Role: Assistant, Text: rep.Text, Calls: rep.Calls, Items: rep.Items}}}, envelope{})
		if _, err := json.Marshal(body); err != nil {
			t.Fatalf("cannot be sent back: %v", err)
		}
		if len(rep.Items) > 0 && rep.Finish != "" {
			played, err := ReadReply(strings.NewReader(EncodeItems(rep)))
			if err != nil || played.Text != rep.Text || !slices.Equal(played.Calls, rep.Calls) {
				t.Fatalf("from a recording: %+v, %v, want %+v", played, err, rep)
			}
		}
		p := newParams(Request{Model: "m", Messages: []Message{{Role: Assistant, Text: rep.Text, Reasoning: rep.Reasoning, ReasoningField: rep.ReasoningField, Fields: rep.Fields, Calls: rep.Calls}}}, false, false)
		if _, err := p.MarshalJSON(); err != nil {
			t.Fatalf("cannot be sent back: %v", err)
		}
	})
}

func TestSentName(t *testing.T) {
	for name, want := range map[string]string{
		"load_skill": "load_skill", "": "unnamed", "a b/ü": "a_b__", strings.Repeat("x", 70): strings.Repeat("x", 64),
	} {
		if got := sentName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestParams(t *testing.T) {
	p := newParams(Request{Model: "m", Tools: []Tool{{Name: "f"}}, Messages: []Message{
		{Role: System, Text: "s"}, {Role: Assistant}, {Role: "other", Text: "o\xff<"},
		{Role: Assistant, Reasoning: "why", Calls: []ToolCall{{ID: "c1", Name: "f g", Arguments: "junk", Extra: `{"a":1}`}}},
		{Role: ToolRole, CallID: "c1", Text: "out"},
	}}, true, true)
	got, err := p.MarshalJSON()
	want := `{"messages":[{"content":"s","role":"user"},{"content":"","role":"assistant"},{"content":"o�<","role":"user"},` +
		`{"content":"","reasoning_content":"why","role":"assistant","tool_calls":[{"id":"c1","function":{"arguments":"{}","name":"f_g"},"type":"function","extra_content":{"a":1}}]},` +
		`{"content":"out","tool_call_id":"c1","role":"tool"}],"model":"m","stream_options":{"include_usage":true},"tools":[{"function":{"name":"f","description":"","parameters":{"properties":{},"type":"object"}},"type":"function"}],"stream":true}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// TestNoEnvironment checks that no key or header comes from the environment, as it would
// with the library's NewClient.
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

// TestManyElements checks that decoding many small elements takes memory in proportion to
// their text.
func TestManyElements(t *testing.T) {
	many := "[" + strings.Repeat("{},", 200_000) + "{}]"
	for name, body := range map[string]string{
		"choices":      `{"choices":` + many + `}`,
		"calls":        `{"choices":[{"message":{"content":"a","tool_calls":` + many + `}}]}`,
		"chunk":        `{"choices":[{"delta":{"tool_calls":` + many + `}}]}`,
		"error":        `{"error":` + many + `}`,
		"error beside": `{"choices":[{"message":{"content":"a"}}],"error":` + many + `}`,
		"error code":   `{"error":{"code":` + many + `,"message":"no"}}`,
	} {
		allocated := testing.AllocsPerRun(1, func() {
			_ = (&replyReader{}).add("", []byte(body))
		})
		if allocated > 5000 {
			t.Errorf("%s: %.0f allocations", name, allocated)
		}
	}
}

// TestDeepReply checks that a deeply nested reply is an error, and no stack overflow.
func TestDeepReply(t *testing.T) {
	const levels = 6 << 20
	for _, body := range []string{
		strings.Repeat("[", levels), "data: " + strings.Repeat(`{"":`, levels), `{"choices":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}",
	} {
		if _, err := ReadReply(strings.NewReader(body)); err == nil || !strings.Contains(err.Error(), "not valid JSON") {
			t.Errorf("%.20s: %v", body, err)
		}
		if got := serverText(body); len(got) > maxServerText+3 {
			t.Errorf("%.20s: %d bytes", body, len(got))
		}
	}
}

// TestHiddenKey checks that a server's message is masked before it is truncated, so
// that no part of a key remains. Placeholder keys of local servers are not secret.
func TestHiddenKey(t *testing.T) {
	for key, want := range map[string]string{"sk-SECRET-1234": "[key]", "ollama": "ollama"} {
		c := &Client{options: Options{Server: Server{APIKey: key}, Now: time.Now}}
		body := key + strings.Repeat("x", maxServerText-len(want)-6) + key
		got := c.statusError(&http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(body))}).Message
		if strings.Contains(got, "sk-") || !strings.Contains(got, ": "+want+"xxx") {
			t.Errorf("got %q", got)
		}
	}
}

// TestFullContext checks that a full context is recognised in the wording of every known
// server, with the size of the window where it is stated, also in place of a reply.
func TestFullContext(t *testing.T) {
	for _, tt := range []struct {
		body   string
		want   bool
		window int64
	}{
		{`{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000.","code":"context_length_exceeded"}}`, true, 8192},
		{`{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`, true, 0},
		{`{"error":{"message":"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, true, 4096},
		{`{"error":{"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_ctx":2048}}`, true, 2048},
		{`{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096."}`, true, 4096},
		{`{"error":"prompt too long; exceeded max context length by 12 tokens"}`, true, 0},
		{`{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, true, 4096},
		{`{"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens","code":400}}`, true, 32768},
		{`{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, true, 200000},
		{"{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`\"}", true, 4096},
		{"{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000\"}}", true, 0},
		{`{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, true, 131072},
		{`{"error":{"message":"Your request exceeded model token limit: 8192"}}`, true, 8192},
		{`{"error":{"message":"Range of input length should be [1, 30720]"}}`, true, 30720},
		{`{"error":{"message":"unknown field: context"}}`, false, 0},
		{`{"error":{"message":"max_tokens is too large: 999999. This model supports at most 128000 completion tokens"}}`, false, 0},
	} {
		c := &Client{host: "http://h", options: Options{Model: "m", Now: time.Now}}
		e := c.statusError(&http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(tt.body))})
		if got := strings.HasPrefix(e.Message, `the conversation is larger than the context window of model "m": `) && strings.Contains(e.Hint, "-m"); got != tt.want {
			t.Errorf("%s is %q, hint %q", tt.body, e.Message, e.Hint)
		}
		if e.FullContext != tt.want || e.Window != tt.window || e.Temporary {
			t.Errorf("%s: full %t, window %d", tt.body, e.FullContext, e.Window)
		}
		_, err := ReadReply(strings.NewReader("event: error\ndata: " + tt.body + "\n\n"))
		if e, _ := errors.AsType[*Error](err); tt.want && (e == nil || !e.FullContext || e.Window != tt.window || e.Temporary) {
			t.Errorf("%s in a stream: %+v", tt.body, e)
		}
	}
}

// TestWindow checks that the longest start of a name decides, below a provider's prefix too.
func TestWindow(t *testing.T) {
	for name, want := range map[string]int64{
		"gpt-5-mini": 272_000, "gpt-5-chat-latest": 128_000, "openai/GPT-4o": 128_000, "anthropic/claude-sonnet-4": 200_000, "qwen3": 0, "": 0,
	} {
		if got := Window(name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}

// TestSleep checks that the delays of runs that failed together differ, and that none is
// shorter than the server asked for.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := sleep(t.Context(), time.Hour); err != nil || time.Since(start) < time.Hour || time.Since(start) > 75*time.Minute {
			t.Errorf("slept %v, %v", time.Since(start), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
