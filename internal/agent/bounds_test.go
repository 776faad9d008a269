package agent_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// endless sends the same bytes until the client has enough.
func endless(head, bytes string) openaitest.Reply {
	return openaitest.Reply{Handler: func(w http.ResponseWriter, r *http.Request) {
		_, err := w.Write([]byte(head))
		many := []byte(strings.Repeat(bytes, 1+4096/len(bytes)))
		for err == nil {
			_, err = w.Write(many)
		}
	}}
}

// varied returns a text that does not repeat itself.
func varied(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprint(&b, i, " ")
	}
	return b.String()
}

// TestEndlessReplies checks that a reply that does not end, or is far too large, is an
// error after a bounded number of bytes and is not retried.
func TestEndlessReplies(t *testing.T) {
	fragment := func(inner string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{` + inner + `}]}}]}` + "\n\n"
	}
	for _, test := range []struct {
		name, head, bytes string
		stream            bool
		want              string
	}{
		{"text", "", `data: {"choices":[{"index":0,"delta":{"content":"` + varied(1000) + `"}}]}` + "\n\n", true, "larger than 33554432 bytes"},
		{"much text, plain", `{"choices":[{"message":{"content":"`, strings.Repeat("x", 4000), false, "larger than 33554432 bytes"},
		{"one line", "data: ", "x", true, "larger than 33554432 bytes"},
		{"comments", "", ": ping\n", true, "larger than 33554432 bytes"},
		{"calls", "", fragment(`"id":"a","function":{"name":"f","arguments":"`+varied(1000)+`"}`) + fragment(`"id":"b","index":0,"function":{"name":"f","arguments":"{}"}`), true, "larger than 33554432 bytes"},
		{"calls without ids", "", fragment(`"function":{"name":"f","arguments":"{}"}`), true, "more than 1024 tool calls"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, endless(test.head, test.bytes))
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = test.stream, !test.stream })
			result, err := s.run(t, "go")
			var failure *agent.Error
			if !errors.As(err, &failure) || !strings.Contains(failure.Message, test.want) || result.Status != agent.Failed || len(s.waits) != 0 {
				t.Errorf("got %v, waits %v, want %q", err, s.waits, test.want)
			}
		})
	}
}

// TestCallsOfOneReply checks the limit of calls in one reply: up to the limit every call
// is answered, above it the reply is rejected.
func TestCallsOfOneReply(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		calls := make([]openaitest.Call, 1024)
		for i := range calls {
			calls[i] = call(fmt.Sprint("c", i), "one", "{}")
		}
		server := openaitest.New(t, openaitest.Do(calls...), openaitest.Text("done"), openaitest.Do(append(calls, call("x", "one", "{}"))...))
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream, c.Providers = stream, !stream, tools(echo("one")) })
		if result, err := s.run(t, "go"); err != nil || result.ToolCalls != 1024 {
			t.Errorf("got %d calls, %v", result.ToolCalls, err)
		}
		if result, err := s.run(t, "go"); err == nil || !strings.Contains(err.Error(), "more than 1024 tool calls") || result.ToolCalls != 0 {
			t.Errorf("got %d calls, %v", result.ToolCalls, err)
		}
	})
}

// TestLargeArguments checks that oversized arguments are rejected with a reason for the
// model, and are not sent back in full.
func TestLargeArguments(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		large := `{"text":"` + strings.Repeat("größe "+varied(1000), 3000) + `"}`
		server := openaitest.New(t,
			openaitest.Reply{Calls: []openaitest.Call{call("c1", "one", large), call("c2", "one", `{"a":1}`)}, Quirks: openaitest.Quirks{WholeCalls: true}},
			openaitest.Text("done"))
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream, c.Providers = stream, !stream, tools(echo("one")) })
		result, err := s.run(t, "go")
		if err != nil {
			t.Fatal(err)
		}
		got := results(result)
		if len(got) != 2 || got[0] != "c1=Error: The arguments are larger than 1048576 bytes and were ignored. Send less at once." || got[1] != `c2=one{"a":1}` {
			t.Errorf("results: got %.300q", got)
		}
		event := string(eventsOf[agent.ToolCallEvent](s)[0].Arguments)
		if len(event) > 1000 || !strings.Contains(event, `größe`) || !strings.Contains(event, fmt.Sprintf("… %d bytes… (cut off)", len(large))) {
			t.Errorf("event: got %.1000s", event)
		}
	})
}
