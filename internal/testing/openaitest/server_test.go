package openaitest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

const hello = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

// ask posts a request and returns status, body and the error of reading it.
func ask(t *testing.T, s *openaitest.Server, body string) (int, string, error) {
	t.Helper()
	response, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

func TestReplies(t *testing.T) {
	stream := strings.Replace(hello, "{", `{"stream":true,"stream_options":{"include_usage":true},`, 1)
	call := openaitest.Call{ID: "c", Name: "f", Arguments: `{"a":1}`}
	for _, test := range []struct {
		name   string
		reply  openaitest.Reply
		body   string
		status int
		want   []string
	}{
		{"text", openaitest.Text("ho"), hello, 200, []string{`"content":"ho"`, `"finish_reason":"stop"`}},
		{"calls", openaitest.Do(call), hello, 200, []string{`"content":null`, `"arguments":"{\"a\":1}"`, `"finish_reason":"tool_calls"`}},
		{"object", openaitest.Reply{Calls: []openaitest.Call{call}, Quirks: openaitest.Quirks{ObjectArguments: true, NoIDs: true}}, hello, 200, []string{`"tool_calls":[{"function":{"arguments":{"a":1},"name":"f"},"type":"function"}]`}},
		{"usage", openaitest.Reply{Text: "x", Usage: &openaitest.Usage{Input: 1, Output: 2}}, hello, 200, []string{`"total_tokens":3`}},
		{"status", openaitest.Reply{Status: 418, Text: "tea"}, hello, 418, []string{`"message":"tea"`}},
		{"raw", openaitest.Reply{Body: "<p>"}, hello, 200, []string{"<p>"}},
		{"stream", openaitest.Reply{Text: "a b", Calls: []openaitest.Call{call}, Usage: &openaitest.Usage{Input: 1, Output: 2}}, stream, 200,
			[]string{`"delta":{"content":"a "}`, `"delta":{"content":"b"}`, `"index":0,"type":"function"`, `"total_tokens":3`, "data: [DONE]\n\n"}},
		{"raw stream", openaitest.Reply{SSE: "data: x\n\n"}, stream, 200, []string{"data: x\n\n"}},
		{"no options", openaitest.Reply{Quirks: openaitest.Quirks{Refusals: openaitest.Refusals{NoStreamOptions: true}}}, stream, 400, []string{"stream_options"}},
		{"pieces", openaitest.Reply{Text: "ab", Pacing: openaitest.Pacing{Pieces: []string{"a", "b"}}, Finish: "none", Quirks: openaitest.Quirks{NoDone: true}}, stream, 200, []string{`{"content":"a"}`, `{"content":"b"}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openaitest.New(t, test.reply)
			status, body, err := ask(t, s, test.body)
			if err != nil || status != test.status {
				t.Fatalf("got %d, %v: %s", status, err, body)
			}
			for _, want := range test.want {
				if !strings.Contains(body, want) {
					t.Errorf("got %s, want %s", body, want)
				}
			}
		})
	}
}

func TestCutAndDrop(t *testing.T) {
	s := openaitest.New(t, openaitest.Reply{Text: "hello", Cut: 5}, openaitest.Reply{Drop: true})
	if _, body, err := ask(t, s, hello); err == nil || body != `{"cho` {
		t.Errorf("cut: got %q, %v", body, err)
	}
	if _, _, err := ask(t, s, hello); err == nil {
		t.Error("drop: want an error")
	}
}

// TestVerify checks that the test server refuses and records what a strict server
// refuses, and fails the test.
func TestVerify(t *testing.T) {
	user := `{"role":"user","content":"hi"}`
	calls := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":"{}"}}`, id))
		}
		return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	answer := func(id string) string { return fmt.Sprintf(`{"role":"tool","content":"x","tool_call_id":%q}`, id) }
	request := func(messages ...string) string {
		return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
	}
	tool := func(function string) string {
		return `{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":` + function + `}]}`
	}
	good := `{"name":"f","parameters":{"type":"object"}}`
	for _, test := range []struct{ name, body, want string }{
		{"good", request(`{"role":"system","content":"s"}`, user, calls("a", "b"), answer("a"), answer("b"), user), ""},
		{"good tool", tool(good), ""},
		{"junk", "junk", "cannot be read"},
		{"no model", `{"messages":[` + user + `]}`, "no model"},
		{"no messages", `{"model":"m"}`, "no messages"},
		{"unanswered", request(user, calls("a"), user), `["a"] before it have no answer`},
		{"unanswered at the end", request(user, calls("a")), `["a"] at the end`},
		{"one of two", request(user, calls("a", "b"), answer("a"), user), `["b"] before it`},
		{"order", request(user, calls("a", "b"), answer("b"), answer("a")), `answers the call "b"`},
		{"twice", request(user, calls("a"), answer("a"), answer("a")), `answers the call "a", but [] are open`},
		{"alone", request(user, answer("a")), `answers the call "a"`},
		{"same id", request(user, calls("a"), answer("a"), calls("a"), answer("a")), "duplicate "},
		{"no id", request(user, calls("")), "has no id"},
		{"null call", request(user, `{"role":"assistant","tool_calls":[null]}`), "is null"},
		{"no type", request(user, `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}`), "has the type"},
		{"name", request(user, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"a b","arguments":"{}"}}]}`), "has the name"},
		{"arguments", request(user, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]}`), "not JSON"},
		{"role", request(`{"role":"robot","content":"x"}`), "unknown role"},
		{"late system", request(user, `{"role":"system","content":"x"}`), "not the first"},
		{"no content", request(`{"role":"user"}`), "needs content"},
		{"content", request(`{"role":"user","content":[1]}`), "not a list of parts"},
		{"part", request(`{"role":"user","content":[{"type":"image_url"}]}`), "lacks its value"},
		{"content of a tool", request(`{"role":"tool","content":[1]}`), "not a string"},
		{"calls of a user", request(`{"role":"user","content":"x","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`), "with tool calls"},
		{"tool type", `{"model":"m","messages":[` + user + `],"tools":[{"type":"x","function":` + good + `}]}`, "has the type"},
		{"tool name", tool(`{"name":"a b","parameters":{"type":"object"}}`), "has the name"},
		{"tool schema", tool(`{"name":"f","parameters":{"type":"array"}}`), "not an object's"},
		{"tools twice", `{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":` + good + `},{"type":"function","function":` + good + `}]}`, "duplicate "},
		{"choice", `{"model":"m","messages":[` + user + `],"tool_choice":"none"}`, "tool_choice without tools"},
		{"options", `{"model":"m","messages":[` + user + `],"stream_options":{"include_usage":true}}`, "without stream"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openaitest.Start(openaitest.Text("ok"))
			defer s.Close()
			status, body, err := ask(t, s, test.body)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if status != 200 || s.Check() != nil {
					t.Errorf("got %d %s, %v", status, body, s.Check())
				}
				return
			}
			if problem := s.Check(); status != 400 || problem == nil || !strings.Contains(problem.Error(), test.want) || !strings.Contains(problem.Error(), "1 scripted replies were never asked for") {
				t.Errorf("got %d, %v, want %q", status, problem, test.want)
			}
		})
	}
}

// spy is a test that notes its failures.
type spy struct {
	errors  []string
	cleanup []func()
}

func (s *spy) Helper()          {}
func (s *spy) Cleanup(f func()) { s.cleanup = append(s.cleanup, f) }
func (s *spy) Errorf(format string, args ...any) {
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}

func TestUnusedAndUnscripted(t *testing.T) {
	test := &spy{}
	openaitest.New(test, openaitest.Text("never"))
	test.cleanup[0]()
	if len(test.errors) != 1 || !strings.Contains(test.errors[0], "1 scripted replies were never asked for") {
		t.Errorf("got %q", test.errors)
	}

	s := openaitest.Start()
	defer s.Close()
	if status, body, err := ask(t, s, hello); status != 400 || !strings.Contains(body, "no reply is scripted") || err != nil {
		t.Errorf("got %d %s, %v", status, body, err)
	}
	response, err := http.Get(s.URL + "/models")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 400 || !strings.Contains(s.Check().Error(), "GET /v1/models is not POST") {
		t.Errorf("got %d, %v", response.StatusCode, s.Check())
	}
}

func TestKeyGateAndRecord(t *testing.T) {
	gate := make(chan struct{})
	s := openaitest.New(t, openaitest.Reply{Text: "late", Gate: gate})
	s.RequireKey("k")
	if status, body, _ := ask(t, s, hello); status != 401 || !strings.Contains(body, "Incorrect") {
		t.Errorf("got %d %s", status, body)
	}
	<-s.Arrived()
	s.RequireKey("")
	go func() { <-s.Arrived(); close(gate) }()
	if _, body, err := ask(t, s, hello); err != nil || !strings.Contains(body, "late") {
		t.Errorf("got %s, %v", body, err)
	}
	got := s.Requests()
	if len(got) != 2 || got[1].Model != "m" || got[1].Messages[0].Text != "hi" || got[1].Stream {
		t.Errorf("got %+v", got)
	}
}

func TestReadScript(t *testing.T) {
	replies, err := openaitest.ReadScript(strings.NewReader(`# a comment

{"text":"a","usage":{"input_tokens":1,"output_tokens":2},"finish":"stop"}
{"tool_calls":[{"id":"x","name":"f","arguments":{"a":1}},{"id":"y","name":"g","arguments":"{}"},{"id":"z","name":"h"}]}
{"status":429,"headers":{"Retry-After":"1"},"body":"raw","cut":5,"no_ids":true}
`))
	if err != nil || len(replies) != 3 {
		t.Fatalf("got %d, %v", len(replies), err)
	}
	if c := replies[1].Calls; c[0].Arguments != `{"a":1}` || c[1].Arguments != "{}" || c[2].Arguments != "" {
		t.Errorf("calls: got %+v", c)
	}
	if r := replies[2]; r.Status != 429 || r.Headers["Retry-After"] != "1" || r.Body != "raw" || r.Cut != 5 || !r.NoIDs {
		t.Errorf("got %+v", r)
	}
	for text, want := range map[string]string{
		"\n{": "line 2", `{"txt":"x"}`: "unknown field", `{"tool_calls":[{"nme":"x"}]}`: "unknown field",
		`{} {}`: "more than one", strings.Repeat("x", 17<<20): "line 1",
	} {
		if _, err := openaitest.ReadScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %q", text, err, want)
		}
	}
}
