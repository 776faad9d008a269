package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// line is an event of a run with the content of its requests.
type line struct {
	Type, Role, Source, Provider, Text, ID, Name, Output string
	Model, System                                        string
	SentName                                             string `json:"sent_name"`
	SentArguments                                        string `json:"sent_arguments"`
	Arguments                                            json.RawMessage
	Turn                                                 int
	Closing, Stream, Usage                               any // a message's usage is an object
	Tail                                                 []struct{ Role, Source, Provider, Text string }
	History                                              []struct {
		Role, Source, Provider, Text string
		CallID                       string `json:"tool_call_id"`
		Calls                        []line `json:"tool_calls"`
	}
	Tools    json.RawMessage
	Params   map[string]any
	Replaced []struct{ ID, Text string }
	Removed  []struct {
		From, Count int
		Text        string
	}
}

// call is a call as requests repeat it.
func (l line) call() any {
	name, arguments := l.Name, string(l.Arguments)
	if l.SentName != "" {
		name = l.SentName
	}
	if l.SentArguments != "" {
		arguments = l.SentArguments
	}
	return map[string]any{"id": l.ID, "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}
}

// rebuilt reconstructs the requests of a run from its JSON Lines.
func rebuilt(t *testing.T, jsonl string) []any {
	t.Helper()
	var requests, messages, tools []any
	var model string
	var params map[string]any
	for text := range strings.Lines(jsonl) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil && !strings.Contains(text, `"type":"run.started"`) {
			t.Fatalf("%v: %s", err, text)
		}
		switch l.Type {
		case "run.started":
			model, params = l.Model, l.Params
		case "context":
			messages = append(messages, map[string]any{"role": "system", "content": l.System})
			for _, m := range l.History {
				message := map[string]any{"role": m.Role, "added": m.Source == "context" || m.Provider != "", "content": m.Text}
				if m.CallID != "" {
					message["tool_call_id"] = m.CallID
				}
				var calls []any
				for _, c := range m.Calls {
					calls = append(calls, c.call())
				}
				if calls != nil {
					message["tool_calls"] = calls
				}
				messages = append(messages, message)
			}
			var list []map[string]any
			if err := json.Unmarshal(l.Tools, &list); err != nil {
				t.Fatal(err)
			}
			for _, tool := range list {
				tools = append(tools, map[string]any{"type": "function", "function": tool})
			}
		case "message":
			messages = append(messages, map[string]any{"role": l.Role, "added": l.Source == "context", "content": l.Text})
		case "tool.call":
			last, _ := messages[len(messages)-1].(map[string]any)
			if last["role"] != "assistant" {
				last = map[string]any{"role": "assistant", "content": ""}
				messages = append(messages, last)
			}
			calls, _ := last["tool_calls"].([]any)
			last["tool_calls"] = append(calls, l.call())
		case "tool.result":
			messages = append(messages, map[string]any{"role": "tool", "tool_call_id": l.ID, "content": l.Output})
		case "compaction":
			for _, old := range l.Replaced {
				for i, m := range messages {
					if m, _ := m.(map[string]any); m["tool_call_id"] == old.ID {
						m = maps.Clone(m) // earlier requests have the old text
						m["content"], messages[i] = old.Text, m
					}
				}
			}
			for _, r := range l.Removed {
				note := map[string]any{"role": "user", "added": true, "content": r.Text}
				messages = slices.Replace(slices.Clone(messages), 1+r.From, 1+r.From+r.Count, any(note))
			}
		case "request":
			all := append([]any{}, messages...)
			for _, m := range l.Tail {
				all = append(all, map[string]any{"role": m.Role, "added": m.Source == "context", "content": m.Text})
			}
			request := map[string]any{"model": model, "messages": folded(all)}
			maps.Copy(request, params)
			if l.Closing != true {
				request["tools"] = tools
			}
			if l.Stream == true {
				request["stream"] = true
			}
			if l.Usage == true {
				request["stream_options"] = map[string]any{"include_usage": true}
			}
			requests = append(requests, jsonValue(t, request))
		}
	}
	return requests
}

// folded are the messages of a request as they are sent: docs/events.md has the rules.
func folded(messages []any) []any {
	var out []any
	var last map[string]any
	for _, each := range messages {
		m := maps.Clone(each.(map[string]any))
		text, added := m["content"].(string), m["added"] == true
		delete(m, "added")
		if m["role"] == "user" && last["role"] == "tool" && !added {
			out, last = append(out, map[string]any{"role": "assistant", "content": "(The run ended here.)"}), nil
		}
		if m["role"] != "user" || last["role"] != "user" && last["role"] != "tool" {
			out, last = append(out, m), m
			continue
		}
		if added {
			text = "<context>\n" + strings.TrimSpace(text) + "\n</context>"
		}
		last["content"] = last["content"].(string) + "\n\n" + text
	}
	return out
}

// converter is the folder of the test skill unit-converter.
func converter(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../testdata/skills/unit-converter")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// jsonValue is a value as JSON readers have it.
func jsonValue(t *testing.T, v any) any {
	t.Helper()
	raw, ok := v.([]byte)
	if !ok {
		var err error
		raw, err = json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReproduce checks that the verbose JSON Lines of a run are enough to send
// each of its requests again: calls, results, the changing todo list, a nudge
// and the closing request at the limit of turns; calls that nobody can send
// back as they came; and all of that once more in a session that goes on.
func TestReproduce(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"--stream=false", "--stream"} {
		t.Run(stream, func(t *testing.T) { reproduce(t, stream) })
	}
}

func reproduce(t *testing.T, stream string) {
	add := openaitest.Call{ID: "c1", Name: "todos_add", Arguments: `{"todos":[{"title":"weigh","description":null}]}`}
	load := openaitest.Call{ID: "c2", Name: "load_skill", Arguments: `{"skillName":"unit-converter"}`}
	var huge strings.Builder // more than is taken, and without repetition
	for i := 0; huge.Len() < 2<<20; i++ {
		fmt.Fprint(&huge, i)
	}
	server := openaitest.New(t,
		openaitest.Reply{Text: "Let me see.", Calls: []openaitest.Call{add, load}},
		openaitest.Reply{Calls: []openaitest.Call{
			{ID: "c3", Name: "no_such_tool", Arguments: `{}`}, {ID: "c4", Name: "we ird", Arguments: `{ "a" : 1 }`},
			{ID: "c5", Name: "load_skill", Arguments: `{bad`}, {ID: "c6", Name: "load_skill", Arguments: `[1]`},
			{ID: "c7", Name: "load_skill", Arguments: `{} x`}, {ID: "c8", Name: "load_skill", Arguments: "{\"a\":\"\n\"}"},
			{ID: "c9", Name: "load_skill", Arguments: `{"a":"` + huge.String() + `"}`}, {ID: "c10", Name: "load_skill", Arguments: `"{\"a\":1}"`},
		}, Quirks: openaitest.Quirks{WholeCalls: true}},
		openaitest.Text(""),
		openaitest.Text("I could not finish."),
	)
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	args := []string{"run", "--session", "talk.jsonl", "--format", "jsonl", "-v", stream, "--max-turns", "3", "--param", "temperature=0.5", "--param", "user=me", "--system", "Be brief.", "--skill", "unit-converter",
		"--skills", converter(t), "convert <1 kg> & more"}
	if code := Run(t.Context(), env, args); code != 3 {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	got := rebuilt(t, out.String())
	server.Add(openaitest.Text("done"))
	out.Reset()
	if code := Run(t.Context(), env, []string{"run", "--session", "talk.jsonl", "--format", "jsonl", "-v", stream, "--system", "Be brief.", "--skills", converter(t), "go on"}); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	got = append(got, rebuilt(t, out.String())...)
	sent := server.Requests()
	if len(got) != len(sent) || len(sent) != 5 {
		t.Fatalf("%d requests rebuilt, %d sent", len(got), len(sent))
	}
	for i := range sent {
		if want := jsonValue(t, sent[i].Body); !reflect.DeepEqual(got[i], want) {
			a, _ := json.MarshalIndent(got[i], "", " ")
			b, _ := json.MarshalIndent(want, "", " ")
			t.Errorf("request %d\nrebuilt %s\nsent %s", i+1, a, b)
		}
	}
}

// TestShowContextIsFirstRequest checks that --show-context prints what the first
// request of the same run holds, message by message.
func TestShowContextIsFirstRequest(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("done"))
	args := []string{"run", "--skills", converter(t), "--system", "Be brief.", "hello"}
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if code := Run(t.Context(), env, args); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	out.Reset()
	if code := Run(t.Context(), env, append(args, "--show-context", "--format", "json")); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	var shown struct {
		Model, System string
		Messages      []struct{ Role, Source, Text string }
		Tools         []any
	}
	if err := json.Unmarshal(out.Bytes(), &shown); err != nil {
		t.Fatal(err)
	}
	messages := []any{map[string]any{"role": "system", "content": shown.System}}
	for _, m := range shown.Messages {
		messages = append(messages, map[string]any{"role": m.Role, "added": m.Source == "context", "content": m.Text})
	}
	var tools []any
	for _, tool := range shown.Tools {
		tools = append(tools, map[string]any{"type": "function", "function": tool})
	}
	got := jsonValue(t, map[string]any{"model": shown.Model, "messages": folded(messages), "tools": tools})
	want, _ := jsonValue(t, server.Requests()[0].Body).(map[string]any)
	delete(want, "stream")
	delete(want, "stream_options")
	if !reflect.DeepEqual(got, any(want)) {
		t.Errorf("shown\n%v\nsent\n%v", got, want)
	}
}

// TestReproduceRefusedForm checks that a request that is retried in another form is
// reported again.
func TestReproduceRefusedForm(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t,
		openaitest.Reply{Status: 400, Body: `{"error":{"message":"unknown parameter: stream_options"}}`},
		openaitest.Reply{Status: 400, Body: `{"error":{"message":"streaming is not supported"}}`},
		openaitest.Reply{Status: 503, Headers: map[string]string{"Retry-After": "0"}},
		openaitest.Text("done"))
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if code := Run(t.Context(), env, []string{"run", "--format", "jsonl", "-v", "--stream", "hello"}); code != exitFine {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	printed, sent := rebuilt(t, out.String()), server.Requests()
	if len(printed) != 3 || len(sent) != 4 {
		t.Fatalf("printed %d requests, sent %d", len(printed), len(sent))
	}
	for i, request := range sent {
		if want := jsonValue(t, request.Body); !reflect.DeepEqual(printed[min(i, 2)], want) {
			t.Errorf("request %d: printed %v, sent %v", i+1, printed[min(i, 2)], want)
		}
	}
}

// TestReproduceCompaction checks that the events also contain what a compaction has
// replaced.
func TestReproduceCompaction(t *testing.T) {
	t.Parallel()
	load := openaitest.Call{ID: "c1", Name: "load_skill", Arguments: `{"skillName":"unit-converter"}`}
	read := openaitest.Call{ID: "c2", Name: "read_skill_resource", Arguments: `{"skillName":"unit-converter","resourceName":"references/conversion-table.md"}`}
	server := openaitest.New(t, openaitest.Do(load), openaitest.Do(read), openaitest.Text("done"))
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if code := Run(t.Context(), env, []string{"run", "--format", "jsonl", "-v", "--context-window", "1", "--skills", converter(t), "go"}); code != exitFine {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	got, sent := rebuilt(t, out.String()), server.Requests()
	if len(got) != len(sent) || !bytes.Contains(sent[2].Body, []byte("was removed to save space")) {
		t.Fatalf("%d requests rebuilt, %d sent, the last one %s", len(got), len(sent), sent[len(sent)-1].Body)
	}
	for i := range sent {
		if want := jsonValue(t, sent[i].Body); !reflect.DeepEqual(got[i], want) {
			t.Errorf("request %d\nrebuilt %v\nsent %v", i+1, got[i], want)
		}
	}
}

// TestReproduceRemoval checks that the events also contain which messages were removed.
func TestReproduceRemoval(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	ask := func(prompt string, args ...string) {
		t.Helper()
		out.Reset()
		if code := Run(t.Context(), env, append([]string{"run", "--format", "jsonl", "-v", "--session", "talk.jsonl", prompt}, args...)); code != exitFine {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
	}
	call := openaitest.Call{ID: "c1", Name: "todos_get_all", Arguments: `{}`}
	for i := range 6 {
		server.Add(openaitest.Text("answer"))
		ask(fmt.Sprint("prompt ", i, strings.Repeat(" some words", 200)))
	}
	server.Add(openaitest.Do(call), openaitest.Text("done"))
	ask("the last", "--context-window", "2500")
	got, sent := rebuilt(t, out.String()), server.Requests()[6:]
	if len(got) != len(sent) || !bytes.Contains(sent[1].Body, []byte("were removed to save space")) {
		t.Fatalf("%d requests rebuilt, %d sent, the last one %s", len(got), len(sent), sent[len(sent)-1].Body)
	}
	for i := range sent {
		if want := jsonValue(t, sent[i].Body); !reflect.DeepEqual(got[i], want) {
			t.Errorf("request %d\nrebuilt %v\nsent %v", i+1, got[i], want)
		}
	}
}
