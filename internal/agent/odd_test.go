package agent_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestOddServers checks that two calls are decoded equally, whatever form a server sends
// them in.
func TestOddServers(t *testing.T) {
	type quirks = openaitest.Quirks
	for _, test := range []struct {
		name   string
		quirks quirks
		finish string
	}{
		{"reference", quirks{}, ""},
		{"no ids", quirks{NoIDs: true}, ""},
		{"no index", quirks{NoIndex: true}, ""},
		{"no index, whole calls", quirks{NoIndex: true, WholeCalls: true}, ""},
		{"no index, no ids, whole calls", quirks{NoIndex: true, NoIDs: true, WholeCalls: true}, ""},
		{"no index, name repeated", quirks{NoIndex: true, RepeatName: true}, ""},
		{"index gaps", quirks{Indexes: openaitest.Indexes{IndexGaps: true}}, ""},
		{"same index", quirks{Indexes: openaitest.Indexes{SameIndex: true}}, ""},
		{"name repeated", quirks{RepeatName: true}, ""},
		{"arguments as object", quirks{ObjectArguments: true}, ""},
		{"null content", quirks{NullContent: true}, ""},
		{"no done", quirks{NoDone: true}, ""},
		{"JSON for a stream", quirks{JSONForStream: true}, ""},
		{"keep-alive", quirks{KeepAlive: true}, ""},
		{"null error", quirks{NullError: true}, ""},
		{"CRLF", quirks{CRLF: true}, ""},
		{"finish stop", quirks{}, "stop"},
		{"no finish but done", quirks{}, "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				server := openaitest.New(t,
					openaitest.Reply{
						Calls:  []openaitest.Call{call("c1", "one", `{"text":"größe 世界"}`), call("c2", "two", `{}`), call("c3", "two", `{"b":[1,2]}`)},
						Quirks: test.quirks, Finish: test.finish, Usage: &openaitest.Usage{Input: 5, Output: 6},
					},
					openaitest.Reply{Text: "done", Quirks: test.quirks, Finish: test.finish},
				)
				s := start(t, server, func(c *agent.Config) {
					c.Stream, c.Server.NoStream = stream, !stream
					c.Providers = tools(echo("one"), echo("two"))
				})
				result, err := s.run(t, "go")
				if err != nil {
					t.Fatal(err)
				}
				want := []string{`c1=one{"text":"größe 世界"}`, `c2=two{}`, `c3=two{"b":[1,2]}`}
				if test.quirks.NoIDs {
					for i, id := range []string{"call00001", "call00002", "call00003"} {
						want[i] = id + strings.TrimLeft(want[i], "c123")
					}
				}
				if got := results(result); !slices.Equal(got, want) {
					t.Errorf("results: got %q, want %q", got, want)
				}
				if result.Text != "done" {
					t.Errorf("text: got %q", result.Text)
				}
				if result.Usage == nil || result.Usage.InputTokens != 5 || result.Usage.OutputTokens != 6 {
					t.Errorf("usage: got %v", result.Usage)
				}
			})
		})
	}
}

func TestIDsAreUnique(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t,
			openaitest.Do(call("x", "one", `{}`), call("x", "one", `{"n":2}`), call("", "one", `{"n":3}`)),
			openaitest.Do(call("x", "one", `{"n":4}`)),
			openaitest.Text("done"),
		)
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Providers = tools(echo("one")) })
		result, err := s.run(t, "go")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, line := range results(result) {
			id, _, _ := strings.Cut(line, "=")
			if id == "" || seen[id] {
				t.Errorf("id %q is empty or there twice in %q", id, results(result))
			}
			seen[id] = true
		}
		if !seen["x"] || len(seen) != 4 {
			// In a stream, equal ids of one index are one call; here they differ in index.
			t.Errorf("ids: got %v", seen)
		}
	})
}

func TestStreamOptionsRefused(t *testing.T) {
	reply := openaitest.Reply{Text: "ok", Quirks: openaitest.Quirks{Refusals: openaitest.Refusals{NoStreamOptions: true}}}
	server := openaitest.New(t, reply, reply, reply)
	s := start(t, server, func(c *agent.Config) { c.Stream = true; c.Server.Retries = 0 })
	for range 2 {
		if _, err := s.run(t, "hi"); err != nil {
			t.Fatal(err)
		}
	}
	got := server.Requests()
	if len(got) != 3 || !got[0].StreamOptions || got[1].StreamOptions || got[2].StreamOptions {
		t.Errorf("got %d requests", len(got))
	}
	if retries := eventsOf[agent.RetryEvent](s); len(retries) != 1 || retries[0].Status != 400 || len(s.waits) != 0 {
		t.Errorf("retries: got %+v, waits %v", retries, s.waits)
	}
}

func TestStreamOptionsRefusedTwice(t *testing.T) {
	refusal := openaitest.Reply{Status: 400, Text: "Unrecognized request argument supplied: stream_options"}
	server := openaitest.New(t, refusal, refusal)
	s := start(t, server, func(c *agent.Config) { c.Stream = true })
	var failure *agent.Error
	if _, err := s.run(t, "hi"); !errors.As(err, &failure) || failure.Status != http.StatusBadRequest {
		t.Errorf("got %v", err)
	}
}

// TestRawReplies checks that a raw reply of the test server is the same for every
// attempt.
func TestRawReplies(t *testing.T) {
	const finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	text := func(s string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + s + `"}}]}` + "\n\n"
	}
	for _, test := range []struct {
		name  string
		reply openaitest.Reply
		text  string // the answer, or
		err   string // what the error says
	}{
		{"parts", openaitest.Reply{Body: `{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`}, "ab", ""},
		{"refusal", openaitest.Reply{Body: `{"choices":[{"message":{"role":"assistant","content":null,"refusal":"no"},"finish_reason":"stop"}]}`}, "no", ""},
		{"text/plain", openaitest.Reply{Body: `{"choices":[{"message":{"content":"x"}}]}`, Headers: map[string]string{"Content-Type": "text/plain"}}, "x", ""},
		{"byte order mark", openaitest.Reply{Body: "\ufeff" + `{"choices":[{"message":{"content":"x"}}]}`}, "x", ""},
		{"unasked stream", openaitest.Reply{SSE: text("hi") + finish}, "hi", ""},
		{"no end line", openaitest.Reply{SSE: text("hi") + strings.TrimSpace(finish)}, "hi", ""},
		{"unpaired surrogates", openaitest.Reply{SSE: text(`a\ud83d`) + text(`b\ude00`) + text(`\ud83d`) + finish}, "a\uFFFDb\uFFFD\uFFFD", ""},
		{"unpaired surrogates, whole", openaitest.Reply{Body: `{"choices":[{"message":{"content":"\ude00 a \ud83d"}}]}`}, "\uFFFD a \uFFFD", ""},
		{"bad UTF-8", openaitest.Reply{SSE: text("a\xe4") + text("b") + finish}, "a\uFFFDb", ""},
		{"bad UTF-8 whole", openaitest.Reply{Body: `{"choices":[{"message":{"content":"a` + "\xff" + `b"}}]}`}, "a\uFFFDb", ""},
		{"other choice", openaitest.Reply{SSE: `data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]}` + "\n\n" + text("yes") + finish}, "yes", ""},
		{"error after the end", openaitest.Reply{SSE: text("yes") + finish + `data: {"error":{"message":"late"}}` + "\n\n"}, "yes", ""},

		{"error", openaitest.Reply{Body: `{"error":{"message":"overloaded\u001b[31m"}}`}, "", "overloaded␛[31m"},
		{"error without words", openaitest.Reply{Body: `{"error":[[[[[["deep"]]]]]]}`}, "", "sent an error: no details"},
		{"error as text", openaitest.Reply{Body: `{"error":"model is loading"}`}, "", "model is loading"},
		{"no choices", openaitest.Reply{Body: `{"choices":[]}`}, "", "no choices"},
		{"not JSON", openaitest.Reply{Body: "It works!", Headers: map[string]string{"Content-Type": "text/plain"}}, "", "It works!"},
		{"web page", openaitest.Reply{Body: "<!DOCTYPE html><title>Log in</title>"}, "", "HTML page"},
		{"cut JSON", openaitest.Reply{Body: `{"choices":[{"message":{"content":"x"`}, "", "not valid JSON"},
		{"array", openaitest.Reply{Body: `[{"error":{"message":"bad things"}}]`}, "", "bad things"},
		{"choices of a wrong type", openaitest.Reply{Body: `{"choices":"x"}`}, "", "no choices"},
		{"stream error", openaitest.Reply{SSE: text("a") + `data: {"error":{"message":"gone","code":502}}` + "\n\n"}, "", "gone"},
		{"stream error event", openaitest.Reply{SSE: "event: error\ndata: {\"message\":\"gone\"}\n\n"}, "", "gone"},
		{"stream without end", openaitest.Reply{SSE: text("a")}, "", "ended early"},
		{"stream of junk", openaitest.Reply{SSE: "data: junk\n\n"}, "", "not valid JSON"},
		{"empty events", openaitest.Reply{SSE: "data:\n\ndata: \n\n"}, "", "ended early"},
		{"only a field's beginning", openaitest.Reply{SSE: "dat"}, "", "ended early"},
		{"white space", openaitest.Reply{Body: " \n"}, "", "empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				server := openaitest.New(t, test.reply)
				s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Server.Retries = 0 })
				result, err := s.run(t, "hi")
				if test.err == "" {
					if err != nil || result.Text != test.text {
						t.Errorf("got %q, %v, want %q", result.Text, err, test.text)
					}
					return
				}
				var failure *agent.Error
				if !errors.As(err, &failure) || !strings.Contains(failure.Message, test.err) || result.Status != agent.Failed {
					t.Errorf("got %v (%s), want an error with %q", err, result.Status, test.err)
				}
			})
		})
	}
}

// TestNameInPieces checks that a tool name sent in pieces, or repeated in every fragment,
// is one name.
func TestNameInPieces(t *testing.T) {
	fragment := func(function string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":` + function + `}]}}]}` + "\n\n"
	}
	for name, sent := range map[string][]string{
		"pieces":      {`{"name":"read_"}`, `{"name":"all"}`, `{"arguments":"{\"a\""}`, `{"arguments":":1}"}`},
		"repeated":    {`{"name":"read_all"}`, `{"name":"read_all","arguments":"{\"a\""}`, `{"name":"read_all","arguments":":1}"}`},
		"growing":     {`{"name":"read_"}`, `{"name":"read_all","arguments":"{\"a\":1}"}`},
		"empty after": {`{"name":"read_all","arguments":"{\"a\""}`, `{"name":"","arguments":":1}"}`},
	} {
		stream := ""
		for _, function := range sent {
			stream += fragment(function)
		}
		stream += `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"
		s := start(t, openaitest.New(t, openaitest.Reply{SSE: stream}, openaitest.Text("done")), func(c *agent.Config) {
			c.Stream, c.Providers = true, tools(echo("read_all"))
		})
		if result, err := s.run(t, "go"); err != nil || !slices.Equal(results(result), []string{`c1=read_all{"a":1}`}) {
			t.Errorf("%s: got %q, %v", name, results(result), err)
		}
	}
}

func TestReplyLimit(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, openaitest.Text(strings.Repeat("word ", 1000)))
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Limits.Reply = 2000 })
		if _, err := s.run(t, "hi"); err == nil || !strings.Contains(err.Error(), "larger than 2000 bytes") {
			t.Errorf("got %v", err)
		}
	})
}
