package agent_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// drip sends a head and then the same bytes for ever, a moment apart.
func drip(head, bytes string) openaitest.Reply {
	return openaitest.Reply{Handler: func(w http.ResponseWriter, r *http.Request) {
		send := func(text string) {
			_, _ = w.Write([]byte(text))
			_ = http.NewResponseController(w).Flush()
		}
		send(head)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
				send(bytes)
			}
		}
	}}
}

const word = `data: {"choices":[{"index":0,"delta":{"content":"on "}}]}` + "\n\n"

// A server that does not come on is a failed attempt, whatever it does
// instead; where another attempt may do better there is one.
func TestPatience(t *testing.T) {
	const idle, off = 400 * time.Millisecond, -1
	for _, test := range []struct {
		name   string
		reply  openaitest.Reply
		stream bool
		limits agent.Limits
		err    string
		again  bool
	}{
		{"silent", openaitest.Reply{Quirks: openaitest.Quirks{Silent: true}}, true, agent.Limits{Idle: idle}, "sent nothing for 400ms", true},
		{"silent, plain", openaitest.Reply{Quirks: openaitest.Quirks{Silent: true}}, false, agent.Limits{Idle: idle}, "sent nothing for 2s", true},
		{"stalls", openaitest.Reply{Text: "one two", Quirks: openaitest.Quirks{Stall: true}}, true, agent.Limits{Idle: idle}, "sent nothing for", true},
		{"comments", drip(word, ": ping\n\n"), true, agent.Limits{Idle: idle}, "sent no part of a reply for 2s", true},
		{"empty events", drip(word, "data:\n\n"), true, agent.Limits{Idle: idle}, "sent no part of a reply for 2s", true},
		{"white space first", drip(" ", "\n"), false, agent.Limits{Idle: idle}, "sent no part of a reply for 2s", true},
		{"byte by byte", drip(`data: {"choices":[{"index":0,"delta":{"content":"`, "x"), true, agent.Limits{Idle: idle}, "sent no part of a reply for 2s", true},
		{"byte by byte, plain", drip(`{"choices":[{"message":{"content":"`, "x"), false, agent.Limits{Idle: idle}, "sent no part of a reply for 2s", true},
		{"word by word for ever", drip(word, word), true, agent.Limits{Idle: time.Hour, ReplyTime: idle}, "did not come to its end in 400ms", false},
		{"without the first two", drip(word, ": ping\n\n"), true, agent.Limits{Idle: off, ReplyTime: idle}, "did not come to its end in 400ms", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			replies := []openaitest.Reply{test.reply}
			if test.again {
				replies = append(replies, openaitest.Say("ok"))
			}
			server := openaitest.New(t, replies...)
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Limits, c.Server.Retries = test.stream, test.limits, 1 })
			result, err := s.run(t, "hi")
			if test.again {
				retries := eventsOf[agent.RetryEvent](s)
				if err != nil || result.Text != "ok" || len(retries) != 1 || !strings.Contains(retries[0].Error, test.err) {
					t.Fatalf("got %+v, %v after %+v, want a retry for %q", result, err, retries, test.err)
				}
				if deltas := len(eventsOf[agent.MessageDelta](s)); test.stream && retries[0].Void != (deltas > 1) {
					t.Errorf("void: got %v with %d deltas", retries[0].Void, deltas)
				}
				return
			}
			var failure *agent.Error
			if !errors.As(err, &failure) || !strings.Contains(failure.Message, test.err) || failure.Hint == "" || result.Status != agent.Failed {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
}

// A stream that goes on slowly, but goes on, is no failure.
func TestPatienceWithSlowStreams(t *testing.T) {
	reply := openaitest.Reply{Handler: func(w http.ResponseWriter, r *http.Request) {
		for range 12 {
			time.Sleep(100 * time.Millisecond) // together longer than the limit
			_, _ = w.Write([]byte(word))
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = w.Write([]byte("data: [DONE]\n\n"))
	}}
	server := openaitest.New(t, reply)
	s := start(t, server, func(c *agent.Config) { c.Stream, c.Limits.Idle, c.Server.Retries = true, time.Second, -1 })
	if result, err := s.run(t, "hi"); err != nil || result.Text != strings.Repeat("on ", 12) {
		t.Errorf("got %+v, %v", result, err)
	}
}

// An answer that is whole counts also where the stream never ends.
func TestStreamThatDoesNotEnd(t *testing.T) {
	server := openaitest.New(t, drip(word+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n", ": ping\n\n"))
	s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.Retries = true, -1 })
	if result, err := s.run(t, "hi"); err != nil || result.Text != "on " {
		t.Errorf("got %+v, %v", result, err)
	}
}

// A server that refuses to stream is asked for whole replies, for good.
func TestStreamRefused(t *testing.T) {
	for _, test := range []struct {
		name    string
		refusal openaitest.Reply
		falls   bool
	}{
		{"in words", openaitest.Reply{Status: 400, Text: "Streaming is not supported"}, true},
		{"by its parameter", openaitest.Reply{Status: 400, Body: `{"error":{"message":"must be verified","param":"stream"}}`}, true},
		{"404", openaitest.Reply{Status: 404, Text: "this model has no streamed replies"}, true},
		{"422", openaitest.Reply{Status: 422, Text: "stream must be false"}, true},
		{"by the type", openaitest.Reply{Status: 415}, true},
		{"not acceptable", openaitest.Reply{Status: 406}, true},
		{"not implemented", openaitest.Reply{Status: 501}, true},
		{"of something else", openaitest.Reply{Status: 400, Text: "the upstream server refused"}, false},
		{"of nothing known", openaitest.Reply{Status: 404}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			replies := []openaitest.Reply{test.refusal}
			if test.falls {
				replies = append(replies, openaitest.Do(call("a", "one", "{}")), openaitest.Say("ok"))
			}
			server := openaitest.New(t, replies...)
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.Retries, c.Providers = true, -1, tools(echo("one")) })
			result, err := s.run(t, "hi")
			if !test.falls {
				var failure *agent.Error
				if !errors.As(err, &failure) || failure.Status != test.refusal.Status {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || result.Text != "ok" {
				t.Fatalf("got %+v, %v", result, err)
			}
			var streamed []bool
			for _, r := range server.Requests() {
				streamed = append(streamed, r.Stream)
			}
			if !slices.Equal(streamed, []bool{true, false, false}) {
				t.Errorf("asked for streams: %v", streamed)
			}
			if warnings := eventsOf[agent.WarningEvent](s); len(warnings) != 1 || !strings.Contains(warnings[0].Message, "refuses to stream") {
				t.Errorf("warnings: got %+v", warnings)
			}
			if len(s.waits) != 0 {
				t.Errorf("waited %v", s.waits)
			}
		})
	}
}

// Both refusals at once: first the options go, then the stream; a refusal that
// has another reason is told in the end.
func TestStreamRefusedByDegrees(t *testing.T) {
	server := openaitest.New(t,
		openaitest.Reply{Status: 400, Text: "unknown field stream_options"},
		openaitest.Reply{Status: 400, Text: "stream is not supported"},
		openaitest.Reply{Status: 400, Text: "stream, or whatever else"})
	s := start(t, server, func(c *agent.Config) { c.Stream = true })
	if _, err := s.run(t, "hi"); err == nil || !strings.Contains(err.Error(), "whatever else") {
		t.Errorf("got %v", err)
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// The waits of runs that failed together differ.
func TestJitter(t *testing.T) {
	replies := slices.Repeat([]openaitest.Reply{{Status: 500}}, 3)
	server := openaitest.New(t, append(replies, openaitest.Reply{Status: 429, Headers: map[string]string{"Retry-After": "3"}}, openaitest.Say("ok"))...)
	numbers := []float64{0, 0.5, 1, 1}
	s := start(t, server, func(c *agent.Config) {
		c.Server.Retries = 4
		c.Jitter = func() float64 { n := numbers[0]; numbers = numbers[1:]; return n }
	})
	_, err := s.run(t, "hi")
	want := []time.Duration{500 * time.Millisecond, 875 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second}
	if err != nil || !slices.Equal(s.waits, want) {
		t.Errorf("got %v, %v, want %v", s.waits, err, want)
	}
}
