package agent_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// long is a conversation of 31 requests: 30 rounds of two calls, then an answer.
func long() []openaitest.Reply {
	var replies []openaitest.Reply
	for i := range 30 {
		replies = append(replies, openaitest.Reply{
			Text:  "I look at two more files.",
			Calls: []openaitest.Call{call(fmt.Sprint("a", i), "f", `{"path":"x"}`), call(fmt.Sprint("b", i), "f", `{"path":"y"}`)},
			Usage: &openaitest.Usage{Input: 1000, Output: 50},
		})
	}
	return append(replies, openaitest.Text("done"))
}

func text(n int) agent.Tool {
	body := strings.Repeat("a line of a file\n", n/17)
	return tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: body}, nil
	})
}

func BenchmarkConversation(b *testing.B) {
	for name, stream := range map[string]bool{"plain": false, "stream": true} {
		b.Run(name, func(b *testing.B) {
			server := openaitest.Start()
			defer server.Close()
			a, err := agent.New(agent.Config{
				Server: agent.Server{BaseURL: server.URL, NoStream: !stream}, Model: "m", Stream: stream, Providers: tools(text(2000)),
			})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				server.Add(long()...)
				if result, err := a.Run(b.Context(), nil, "go"); err != nil || result.Turns != 31 {
					b.Fatalf("got %+v, %v", result, err)
				}
			}
		})
	}
}

func TestLongConversation(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, long()...)
		s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream; c.Providers = tools(text(100)) })
		result, err := s.run(t, "go")
		if err != nil || result.Turns != 31 || result.ToolCalls != 60 || result.Usage.InputTokens != 30000 {
			t.Errorf("got %d turns, %d calls, %v", result.Turns, result.ToolCalls, err)
		}
	})
}

// TestNothingIsLeft checks that successful, failed and cancelled runs leave no goroutines
// behind.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, reply := range []openaitest.Reply{{Text: "ok"}, {Status: 400}, {Text: "cut here", Cut: 60}, {Drop: true}} {
		for _, stream := range []bool{false, true} {
			server := openaitest.Start(reply)
			a, err := agent.New(agent.Config{Server: agent.Server{BaseURL: server.URL, NoStream: !stream}, Model: "m", Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = a.Run(t.Context(), nil, "hi")
			server.Close()
		}
	}
	// A closed connection's goroutines need a moment of the scheduler.
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buffer := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, buffer[:runtime.Stack(buffer, true)])
		}
		runtime.Gosched()
	}
}
